package slack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"chatserver.dev/pkg/archive"
)

const (
	// uploadFolder is a folder that tools add to exports. It contains a folder for each uploaded file, named by the
	// file's id.
	uploadFolder = "__uploads"
	// attachmentFolder is a folder next to the messages of a channel. It contains files whose names begin with their
	// ids.
	attachmentFolder = "attachments"
	// uploadsPrefix is the prefix of an uploaded file's address in messages.
	uploadsPrefix = "/user_uploads/"
)

// writeFiles writes the files of a message, and returns the links that replace them in the message.
func (c *conversion) writeFiles(ctx context.Context, m said, who *person) (links []string, err error) {
	files := m.Files
	if m.File != nil && m.Subtype != "file_comment" {
		files = append([]file{*m.File}, files...)
	}
	for _, f := range files {
		link, err := c.writeFile(ctx, f, m, who)
		if err != nil {
			return nil, err
		}
		links = append(links, link)
	}
	return links, nil
}

func (c *conversion) writeFile(ctx context.Context, f file, m said, who *person) (link string, err error) {
	name := first(f.Name, f.Title, f.ID)
	label := strings.NewReplacer("[", "(", "]", ")", "\n", " ", "\r", " ").Replace(strings.ToValidUTF8(name, ""))
	switch {
	case f.Mode == "tombstone" || f.Mode == "hidden_by_limit" || f.Access == "access_denied" || f.Access == "file_not_found":
		c.Leave("uploaded files that Slack has no more, or doesn't show", first(f.ID, c.example(m)))
		return "", nil
	case f.Mode == "external":
		return linkText(f.URL, label), nil
	case f.ID == "" || strings.Trim(f.ID, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") != "":
		c.Leave("uploaded files without an id", c.example(m))
		return label, nil
	}
	at, source := "slack/"+f.ID+"/"+slug(name), first(f.Download, f.URL)
	link = "[" + label + "](" + uploadsPrefix + at + ")"
	if c.files[f.ID] {
		return link, nil
	}
	there, err := c.find(f.ID, m.place)
	if err != nil {
		return "", err
	}
	if there == "" && !isWeb(source) {
		c.Leave("uploaded files that are neither in the export nor at an address", f.ID)
		return label, nil
	}
	if there != "" {
		if err := c.copy(ctx, there, path.Join(archive.UploadFolder, at)); err != nil {
			return "", err
		}
	}
	c.files[f.ID] = true
	c.lastFile++
	if by := c.people[f.User]; by != nil {
		who = by
	}
	created := m.TS.time()
	if f.Created > 0 {
		created = seconds(f.Created)
	}
	return link, c.uploads.Add(archive.Attachment{
		ID: c.lastFile, Realm: 1, Name: name, Path: at, Owner: who.number, Created: created, Size: max(0, f.Size), SourceURL: source,
	})
}

// slug returns a name in a form for addresses.
func slug(name string) string {
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '_' || r == '-' {
			return r
		}
		return '-'
	}, name[max(0, len(name)-100):])
	if strings.Trim(name, ".") == "" {
		return "file"
	}
	return name
}

// find returns the path of an uploaded file in the export; empty: the export doesn't contain it.
func (c *conversion) find(id string, in int) (string, error) {
	folder := path.Join(uploadFolder, id)
	entries, err := fs.ReadDir(c.from.files, folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("read folder %s: %w", folder, err)
	}
	for _, entry := range entries {
		if entry.Type().IsRegular() {
			return path.Join(folder, entry.Name()), nil
		}
	}
	return c.attachments(in)[id], nil
}

// attachments returns the files next to the messages of a channel, by their ids.
func (c *conversion) attachments(in int) map[string]string {
	p := c.places[in]
	if p.attached != nil {
		return p.attached
	}
	p.attached = map[string]string{}
	for _, folder := range p.folders {
		folder = path.Join(folder, attachmentFolder)
		entries, err := fs.ReadDir(c.from.files, folder)
		if err != nil {
			continue // usually it doesn't exist
		}
		for _, entry := range entries {
			id, _, ok := strings.Cut(entry.Name(), "-")
			if ok && entry.Type().IsRegular() {
				p.attached[id] = path.Join(folder, entry.Name())
			}
		}
	}
	return p.attached
}

// copy copies a file into the archive.
func (c *conversion) copy(ctx context.Context, from, to string) error {
	file, err := c.from.files.Open(from)
	if err != nil {
		return fmt.Errorf("open %s: %w", from, err)
	}
	out, err := c.to.Create(to)
	if err != nil {
		return errors.Join(err, file.Close())
	}
	_, err = io.Copy(out, file)
	if err := errors.Join(err, file.Close(), out.Close(), ctx.Err()); err != nil {
		return fmt.Errorf("copy %s: %w", from, err)
	}
	return nil
}

// writeRecords writes the list of avatars with their accounts.
func (c *conversion) writeRecords() error {
	slices.SortFunc(c.records, func(a, b archive.Record) int { return int(a.User - b.User) })
	return archive.WriteRecords(c.to, archive.AvatarFolder, c.records)
}
