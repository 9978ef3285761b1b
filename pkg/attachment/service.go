package attachment

import (
	"context"
	"io"
	"time"

	"golang.org/x/sync/singleflight"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/file"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/keyring"
	"chatserver.dev/pkg/limit"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/picture"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
)

// MaxBytes is the maximum size of a file in bytes (rest-api.md, section 9).
const MaxBytes = 25 << 20

// Prefix begins the paths of uploaded files.
const Prefix = "/user_uploads/"

// The errors of uploaded files (rest-api.md, section 5.10).
var (
	ErrMissing  = fault.Plain("You must specify a file to upload")
	ErrSeveral  = fault.Plain("You may only upload one file at a time")
	ErrTooLarge = fault.Plain("Uploaded file is larger than the allowed limit of 25 MiB")
	ErrQuota    = fault.New(fault.Invalid, "REALM_UPLOAD_QUOTA", "Upload would exceed your organization's upload quota.")
	// ErrInvalid says that the caller has no such file.
	ErrInvalid = fault.Bad("Invalid attachment")
	// ErrUnknown says that the organization has no such file.
	ErrUnknown = fault.New(fault.NotFound, fault.CodeNotFound, "File not found.")
	// ErrForbidden says that the caller may not read a file.
	ErrForbidden = fault.New(fault.Forbidden, fault.CodeNone, "You are not authorized to view this file.")
)

// Deps are the dependencies of a [Service].
type Deps struct {
	DB    *store.DB
	Orgs  *org.Service
	Files *file.Store
	// Pictures makes thumbnails.
	Pictures *picture.Maker
	Keys     *keyring.Ring
	Now      func() time.Time
}

// Service keeps uploaded files. It is safe for concurrent use.
type Service struct {
	Deps

	making   singleflight.Group        // of thumbnails, by the files' IDs
	underWay *limit.Concurrent[id.Org] // thumbnails being made
}

// New makes the service.
func New(d Deps) *Service {
	return &Service{Deps: d, underWay: limit.NewConcurrent[id.Org](maxThumbnails)}
}

// Upload is a file that a client uploads.
type Upload struct {
	Name string // the client's name for it: any text
	// MediaType is the file's media type, whose extension is added to the name. Empty: the name stays as it is.
	MediaType string
	Content   io.Reader
}

// Add stores an uploaded file and returns its id and its path on this server. It removes the metadata of photos. It fails with [ErrQuota], the
// errors of package file, and those of reading the content.
func (s *Service) Add(ctx context.Context, who actor.Actor, upload Upload) (number id.Attachment, path string, err error) {
	name := cleanName(upload.Name + extensionOf(upload.MediaType))
	content := &beginning{Reader: picture.WithoutMetadata(upload.Content)}
	err = s.Files.Save(ctx, who.Org(), content, func(tx *store.Tx, kept file.Saved) error {
		o, err := s.Orgs.Load(ctx, tx)
		if err != nil {
			return err
		}
		if err := tx.LockUploads(ctx); err != nil {
			return err
		}
		used, err := tx.UploadSpace(ctx)
		if err != nil {
			return err
		}
		if quota := o.Settings.UploadQuota; quota > 0 && used+kept.Size > quota {
			return ErrQuota
		}
		if err := file.Add(ctx, tx, kept); err != nil {
			return err
		}
		slug := slugOf(name)
		row, err := tx.AddAttachment(ctx, sqlc.AddAttachmentParams{
			OwnerID: who.User, Path: kept.Path, Name: name, Slug: slug, MediaType: shown(content.head), Size: kept.Size,
		})
		if err != nil {
			return err
		}
		if used, err = tx.ChangeUploadSpace(ctx, kept.Size); err != nil {
			return err
		}
		number, path = row.AttachmentID, Prefix+kept.Path+"/"+slug
		return tx.Emit(ctx, event.AttachmentAdded{Owner: who.User, UploadSpaceUsed: used, Attachment: event.AttachmentObject{
			ID: row.AttachmentID, Name: name, PathID: kept.Path + "/" + slug, Size: kept.Size,
			CreateTime: row.CreatedAt.Unix() * 1000, Messages: []event.AttachmentMessage{},
		}})
	})
	return number, path, err
}

// Claimable returns the files at paths of the storage, without the names that people see, that an account may read. It may put
// these into a message.
func Claimable(ctx context.Context, tx *store.Tx, who actor.Actor, paths []string) ([]id.Attachment, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	return tx.ReadableAttachments(ctx, paths, int64(who.User), who.Role == actor.Guest)
}
