package attachment

import (
	"context"
	"io"
	"time"

	"chatserver.dev/pkg/file"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
)

// Imported is an uploaded file of an imported organization.
type Imported struct {
	Owner   id.User
	Name    string // any text
	Created time.Time
	Content io.Reader // of any size: quotas only apply to people's uploads
}

// Import stores an uploaded file, and returns its id and its path after [Prefix]. It calls note in the transaction. It emits no event.
// It fails with the errors of package file and of the content.
func Import(
	ctx context.Context, files *file.Store, org id.Org, f Imported, note func(tx *store.Tx, number id.Attachment) error,
) (number id.Attachment, path string, err error) {
	name, content := cleanName(f.Name), &beginning{Reader: f.Content}
	err = files.Save(ctx, org, content, func(tx *store.Tx, kept file.Saved) error {
		if err := file.Add(ctx, tx, kept); err != nil {
			return err
		}
		slug := slugOf(name)
		row, err := tx.AddAttachment(ctx, sqlc.AddAttachmentParams{
			OwnerID: f.Owner, Path: kept.Path, Name: name, Slug: slug, MediaType: shown(content.head), Size: kept.Size,
		})
		if err != nil {
			return err
		}
		number, path = row.AttachmentID, kept.Path+"/"+slug
		if err := tx.SettleImported(ctx, f.Created, number); err != nil {
			return err
		}
		if _, err := tx.ChangeUploadSpace(ctx, kept.Size); err != nil {
			return err
		}
		return note(tx, number)
	})
	return number, path, err
}
