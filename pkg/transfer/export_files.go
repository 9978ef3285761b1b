package transfer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"

	"chatserver.dev/pkg/archive"
	"chatserver.dev/pkg/avatar"
	"chatserver.dev/pkg/blob"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/user"
)

// files writes uploaded files, and then attachment.json, which an import takes as the end of the archive. Files that the
// storage has lost are listed in the report.
func (x *export) files(ctx context.Context) error {
	rows, err := x.uploads(ctx)
	if err != nil {
		return err
	}
	for _, write := range []func(ctx context.Context) error{x.avatars, x.emojiImages, x.pictures} {
		if err := write(ctx); err != nil {
			return err
		}
	}
	out, err := archive.NewTables(x.to, archive.AttachmentFile)
	if err != nil {
		return err
	}
	out.Begin(archive.Attachments)
	for _, row := range rows {
		if err := out.Add(row); err != nil {
			return err
		}
	}
	return out.Close()
}

// copyFile writes a file, and reports whether the storage has it.
func (x *export) copyFile(name string, open func() (io.ReadCloser, error)) (ok bool, err error) {
	from, err := open()
	if errors.Is(err, blob.ErrNotFound) {
		x.report.leave("the storage has lost the file", name)
		return false, nil
	}
	if err != nil {
		return false, err
	}
	to, err := x.to.Create(name)
	if err != nil {
		return false, errors.Join(err, from.Close())
	}
	_, err = io.Copy(to, from)
	if err := errors.Join(err, from.Close(), to.Close()); err != nil {
		return false, fmt.Errorf("write %s: %w", name, err)
	}
	return true, nil
}

func (x *export) kept(ctx context.Context, at string) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) { return x.Files.Open(ctx, at) }
}

// uploads writes uploaded files, and returns their rows.
func (x *export) uploads(ctx context.Context) (rows []archive.Attachment, err error) {
	records := []archive.Record(nil)
	err = portions(ctx, x, func(tx *store.Tx, last sqlc.ArchivedAttachmentsRow) ([]sqlc.ArchivedAttachmentsRow, error) {
		return tx.ArchivedAttachments(ctx, sqlc.ArchivedAttachmentsParams{After: last.AttachmentID, Upto: x.upto, PublicOnly: x.PublicOnly, MaxRows: maxRows})
	}, func(a sqlc.ArchivedAttachmentsRow) error {
		if !x.people[a.OwnerID] || x.PublicOnly && len(a.Messages) == 0 {
			return nil
		}
		at := a.Path + "/" + a.Slug
		ok, err := x.copyFile(path.Join(archive.UploadFolder, at), x.kept(ctx, a.Path))
		if err != nil || !ok {
			return err
		}
		x.report.count("uploaded files", 1)
		rows = append(rows, archive.Attachment{
			ID: int64(a.AttachmentID), Realm: int64(x.of), Name: a.Name, Path: at, Owner: int64(a.OwnerID), Created: archive.Time{Time: a.CreatedAt}, Size: a.Size, Messages: a.Messages,
		})
		records = append(records, archive.Record{
			Realm: int64(x.of), User: int64(a.OwnerID), Path: at, StoredPath: at, Size: a.Size, LastModified: archive.Time{Time: a.CreatedAt},
		})
		return nil
	})
	if err != nil {
		return nil, err
	}
	return rows, archive.WriteRecords(x.to, archive.UploadFolder, records)
}

func (x *export) avatars(ctx context.Context) error {
	o, err := x.load(ctx)
	if err != nil {
		return err
	}
	records := []archive.Record(nil)
	err = portions(ctx, x, func(tx *store.Tx, last user.User) ([]user.User, error) { return user.After(ctx, tx, last.ID, maxRows) }, func(u user.User) error {
		if u.AvatarPath == "" || !x.people[u.ID] {
			return nil
		}
		for _, size := range []struct {
			ending string
			side   int
		}{{original, avatar.Medium}, {".png", avatar.Small}} {
			at := path.Join(strconv.FormatInt(int64(x.of), 10), u.ID.String()+size.ending)
			ok, err := x.copyFile(path.Join(archive.AvatarFolder, at), func() (io.ReadCloser, error) { return x.Avatars.Open(ctx, x.of, u.AvatarPath, size.side) })
			if err != nil || !ok {
				return err
			}
			records = append(records, archive.Record{
				Realm: int64(x.of), User: int64(u.ID), Email: x.address(o, u), Path: at, StoredPath: at, LastModified: archive.Time{Time: x.Now()}, ContentType: "image/png",
			})
		}
		x.report.count("pictures of people", 1)
		return nil
	})
	if err != nil {
		return err
	}
	return archive.WriteRecords(x.to, archive.AvatarFolder, records)
}

func (x *export) emojiImages(ctx context.Context) error {
	all, err := store.Read(ctx, x.DB, x.of, func(tx *store.Tx) ([]sqlc.ArchivedEmojiRow, error) { return tx.ArchivedEmoji(ctx) })
	if err != nil {
		return err
	}
	records := []archive.Record(nil)
	for _, e := range all {
		name := emojiFile(e)
		at := path.Join(strconv.FormatInt(int64(x.of), 10), "emoji/images", name)
		ok, err := x.copyFile(path.Join(archive.EmojiFolder, at), x.kept(ctx, e.Path))
		if err != nil {
			return err
		}
		if ok {
			records = append(records, archive.Record{
				Realm: int64(x.of), User: int64(e.AuthorID), Path: at, StoredPath: at, FileName: name, Name: e.Name, LastModified: archive.Time{Time: x.Now()},
			})
		}
	}
	return archive.WriteRecords(x.to, archive.EmojiFolder, records)
}

// pictureKinds returns the kinds of the organization's pictures, the names of their files in the archive.
func pictureKinds() []org.PictureKind { return []org.PictureKind{org.Icon, org.Logo, org.NightLogo} }

// original is the ending of pictures' files: large ones in the archive, the uploaded ones in those of others.
const original = ".original"

func (x *export) pictures(ctx context.Context) error {
	o, err := x.load(ctx)
	if err != nil {
		return err
	}
	records := []archive.Record(nil)
	for _, kind := range pictureKinds() {
		if o.Picture(kind).Path == "" {
			continue
		}
		at := path.Join(strconv.FormatInt(int64(x.of), 10), string(kind)+original)
		ok, err := x.copyFile(path.Join(archive.IconFolder, at), x.kept(ctx, o.Picture(kind).Path))
		if err != nil {
			return err
		}
		if ok {
			x.report.count("pictures of the organization", 1)
			records = append(records, archive.Record{Realm: int64(x.of), Path: at, StoredPath: at, LastModified: archive.Time{Time: x.Now()}})
		}
	}
	return archive.WriteRecords(x.to, archive.IconFolder, records)
}
