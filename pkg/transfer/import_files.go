package transfer

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"chatserver.dev/pkg/archive"
	"chatserver.dev/pkg/attachment"
	"chatserver.dev/pkg/customemoji"
	"chatserver.dev/pkg/file"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/picture"
	"chatserver.dev/pkg/store"
)

// maxPicture is the maximum size of a picture in an archive, in bytes.
const maxPicture = 10 << 20

// complete fails if the archive has no end: exports write attachment.json last, and the reference's archives always have it.
func (m *importing) complete(ctx context.Context) error {
	if !m.Archive.Has(archive.AttachmentFile) {
		return ErrIncomplete
	}
	return m.Archive.Count(ctx, archive.AttachmentFile, func(string, int) {})
}

// files imports uploaded files, if this server has a storage for them.
func (m *importing) files(ctx context.Context) error {
	if !m.Files.Enabled() {
		m.report.leave("all files: this server has no storage for them", "")
		return nil
	}
	for _, store := range []func(ctx context.Context) error{m.attachments, m.avatars, m.emojiImages, m.pictures} {
		if err := store(ctx); err != nil {
			return err
		}
	}
	return nil
}

// open opens a file that a row refers to, or downloads it from source. It adds files that it can't open to the report, and
// returns nil for them.
func (m *importing) open(ctx context.Context, folder, name, source string, size int64, what string) io.ReadCloser {
	if !fs.ValidPath(name) || name == "." {
		m.report.leave(what+" with an invalid path", name)
		return nil
	}
	opened, err := m.Archive.Open(path.Join(folder, name))
	switch {
	case err == nil:
		return opened
	case source == "":
		m.report.leave(what+" that aren't in the archive", name)
		return nil
	case m.Fetch == nil:
		m.report.leave(what+" that weren't downloaded", name)
		return nil
	}
	content, err := m.download(ctx, source, size)
	if err != nil {
		m.report.leave(what+" that can't be downloaded", name+": "+err.Error())
		return nil
	}
	return content
}

func (m *importing) attachments(ctx context.Context) error {
	made := map[int64]id.Attachment{}
	if err := known(ctx, m, "attachment", made); err != nil {
		return err
	}
	return m.Archive.Tables(ctx, archive.AttachmentFile, map[string]archive.Row{archive.Attachments: archive.Rows(func(row archive.Attachment) error {
		slices.Sort(row.Messages)
		if number := made[row.ID]; number != 0 {
			m.report.count("uploaded files", 1)
			return m.DB.Read(ctx, m.org.ID, func(tx *store.Tx) error {
				a, err := tx.Attachment(ctx, number)
				m.uploads[row.Path] = upload{number, a.Path + "/" + a.Slug, row.Messages}
				return err
			})
		}
		owner := m.users[row.Owner]
		if owner == 0 {
			m.report.leave("uploaded files of unknown accounts", row.Path)
			return nil
		}
		if elsewhere := withoutKey(row.SourceURL); elsewhere != "" {
			m.uploads[row.Path] = upload{path: elsewhere}
		}
		const what = "uploaded files"
		from := m.open(ctx, archive.UploadFolder, row.Path, row.SourceURL, row.Size, what)
		if from == nil {
			return nil
		}
		number, at, err := attachment.Import(ctx, m.Files, m.org.ID, attachment.Imported{
			Owner: owner, Name: row.Name, Created: row.Created.Time, Content: from,
		}, func(tx *store.Tx, number id.Attachment) error {
			if err := m.hold(ctx, tx); err != nil {
				return err
			}
			return noteIDs(ctx, tx, idRow{"attachment", row.ID, int64(number)})
		})
		closed := from.Close()
		if failed := failedDownload(from); failed != nil && ctx.Err() == nil {
			m.report.leave(what+" that can't be downloaded", row.Path+": "+failed.Error())
			return nil
		}
		if err := errors.Join(err, closed); err != nil {
			return err
		}
		m.uploads[row.Path] = upload{number, at, row.Messages}
		m.report.count(what, 1)
		m.Progress("files", len(m.uploads), 0)
		return nil
	})})
}

// readPicture reads a picture that a row refers to; nil: it is missing or too large.
func (m *importing) readPicture(ctx context.Context, folder, name, source, what string) ([]byte, error) {
	from := m.open(ctx, folder, name, source, 0, what)
	if from == nil {
		return nil, nil
	}
	content, err := io.ReadAll(io.LimitReader(from, maxPicture+1))
	closed := from.Close()
	if failed := failedDownload(from); failed != nil && ctx.Err() == nil {
		m.report.leave(what+" that can't be downloaded", name+": "+failed.Error())
		return nil, nil
	}
	if err := errors.Join(err, closed); err != nil {
		return nil, err
	}
	if len(content) > maxPicture {
		m.report.leave(what+" with more than 10 MiB", name)
		return nil, nil
	}
	return content, nil
}

// leavePicture adds a file that isn't a picture to the report, and returns other errors.
func (m *importing) leavePicture(err error, what, name string) error {
	if errors.Is(err, picture.ErrNoImage) || errors.Is(err, picture.ErrLarge) {
		m.report.leave(what+" that are invalid, or too large", name)
		return nil
	}
	return err
}

func (m *importing) avatars(ctx context.Context) error {
	const what = "pictures of people"
	done := map[int64]int64{}
	if err := known(ctx, m, "avatar", done); err != nil {
		return err
	}
	best := map[int64]archive.Record{} // the largest picture of each account
	err := m.Archive.Records(ctx, archive.AvatarFolder, func(r archive.Record) error {
		if before, ok := best[r.User]; !ok || path.Ext(before.Path) != original {
			best[r.User] = r
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, source := range slices.Sorted(maps.Keys(best)) {
		who, r := m.users[source], best[source]
		if who == 0 || who == m.bot {
			continue
		}
		if done[source] != 0 {
			m.report.count(what, 1)
			continue
		}
		image, err := m.readPicture(ctx, archive.AvatarFolder, r.Path, r.SourceURL, what)
		if err != nil {
			return err
		}
		if image == nil {
			continue
		}
		if err := m.stillHeld(ctx); err != nil {
			return err
		}
		_, err = m.Avatars.Set(ctx, m.org.ID, who, bytes.NewReader(image))
		if err == nil {
			m.report.count(what, 1)
			err = m.write(ctx, func(tx *store.Tx) error { return noteIDs(ctx, tx, idRow{"avatar", source, 1}) })
		}
		if err := m.leavePicture(err, what, r.Path); err != nil {
			return err
		}
	}
	return nil
}

func (m *importing) pictures(ctx context.Context) error {
	const what = "pictures of the organization"
	return m.Archive.Records(ctx, archive.IconFolder, func(r archive.Record) error {
		name, ok := strings.CutSuffix(path.Base(r.Path), original)
		kind := org.PictureKind(name)
		if !ok || !slices.Contains(pictureKinds(), kind) {
			return nil // a smaller version of one
		}
		image, err := m.readPicture(ctx, archive.IconFolder, r.Path, "", what)
		if err != nil || image == nil {
			return err
		}
		if err := m.stillHeld(ctx); err != nil {
			return err
		}
		if _, err = m.Branding.Set(ctx, m.org.ID, kind, bytes.NewReader(image)); err == nil {
			m.report.count(what, 1)
		}
		return m.leavePicture(err, what, r.Path)
	})
}

// maxEmoji is the maximum number of emoji of an organization (package customemoji).
const maxEmoji = 2000

func (m *importing) emojiImages(ctx context.Context) error {
	if err := known(ctx, m, "emoji", m.emoji); err != nil {
		return err
	}
	images := map[string]string{} // paths, by name of file
	err := m.Archive.Records(ctx, archive.EmojiFolder, func(r archive.Record) error {
		if len(images) < 10*maxEmoji {
			images[path.Base(r.Path)] = r.Path
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = m.tables(ctx, map[string]archive.Row{archive.Emoji: archive.Rows(func(row archive.RealmEmoji) error {
		if m.emoji[row.ID] != 0 {
			m.report.count("emoji", 1)
			return nil
		}
		return m.addEmoji(ctx, row, images[row.FileName])
	})})
	if err != nil {
		return err
	}
	return m.DB.Read(ctx, m.org.ID, func(tx *store.Tx) error {
		all, err := customemoji.All(ctx, tx)
		m.mentions.Emoji = map[string]string{}
		for _, e := range all {
			if !e.Deactivated {
				m.mentions.Emoji[e.Name] = e.SourceURL
			}
		}
		return err
	})
}

func (m *importing) addEmoji(ctx context.Context, row archive.RealmEmoji, at string) error {
	const what = "emoji"
	name := strings.ToLower(row.Name)
	if len(m.emoji) >= maxEmoji || name == "" || len(name) > 100 || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789._-") != "" {
		m.report.leave("emoji with an invalid name, or beyond 2000", row.Name)
		return nil
	}
	author := m.owner
	if row.Author != nil && m.users[*row.Author] != 0 {
		author = m.users[*row.Author]
	}
	image, err := m.readPicture(ctx, archive.EmojiFolder, at, "", what)
	if err != nil || image == nil {
		return err
	}
	made, animated, err := m.Pictures.Emoji(ctx, m.org.ID, image)
	if err != nil {
		return m.leavePicture(err, what, row.Name)
	}
	number, err := m.storeEmoji(ctx, newEmoji{
		source: row.ID, name: name, author: author, image: made, animated: animated, active: !row.Deactivated,
	})
	if errors.Is(err, errTaken) {
		m.report.leave("emoji with a name that another emoji has", row.Name)
		return nil
	}
	if err != nil {
		return err
	}
	m.emoji[row.ID] = number
	m.report.count(what, 1)
	return nil
}

// newEmoji is an emoji to import.
type newEmoji struct {
	source           int64 // its id in the archive
	name             string
	author           id.User
	image            []byte
	animated, active bool
}

// storeEmoji stores an emoji with its image, and returns its id here. It fails with errTaken.
func (m *importing) storeEmoji(ctx context.Context, e newEmoji) (number int64, err error) {
	err = m.Files.Save(ctx, m.org.ID, bytes.NewReader(e.image), func(tx *store.Tx, kept file.Saved) error {
		if err := m.hold(ctx, tx); err != nil {
			return err
		}
		there, err := tx.ActiveEmoji(ctx, []string{e.name})
		if err != nil {
			return err
		}
		if len(there) > 0 && e.active {
			return errTaken
		}
		if number, err = tx.NextEmoji(ctx); err != nil {
			return err
		}
		if err := file.Add(ctx, tx, kept); err != nil {
			return err
		}
		columns := []string{"emoji_id", "name", "author_id", "path", "animated", "active"}
		if _, err := tx.ImportRows(ctx, "emoji", columns, []map[string]any{{
			"emoji_id": number, "name": e.name, "author_id": e.author, "path": kept.Path, "animated": e.animated, "active": e.active,
		}}); err != nil {
			return err
		}
		return noteIDs(ctx, tx, idRow{"emoji", e.source, number})
	})
	return number, err
}

// errTaken says that another emoji has the name.
var errTaken = errors.New("the name is taken")
