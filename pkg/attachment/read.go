package attachment

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/blob"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/keyring"
	"chatserver.dev/pkg/store"
)

const (
	// temporaryTime is the lifetime of an address that needs no login (rest-api.md, section 9).
	temporaryTime = 60 * time.Second
	// maxListed and maxListedBytes limit the list of an account's files.
	maxListed      = 10_000
	maxListedBytes = 8 << 20
)

// Faults of addresses that need no login (rest-api.md, section 5.10).
var (
	ErrToken    = fault.Plain("Invalid token")
	ErrFilename = fault.Plain("Invalid filename")
)

// Readable is a file that the caller may read.
type Readable struct {
	ID        id.Attachment
	Name      string // for people
	MediaType string // a type that browsers may show; empty: they save the file
	Created   time.Time
	Reader    id.User // that reads the file or, at an address that needs no login, has requested the address

	path      string // in the storage
	slug      string
	size      int64      // in bytes
	thumbnail *thumbnail // nil: no client has requested it yet
	unasked   bool       // whether the file is shown in place of a thumbnail

	// Of a file at an address that needs no login, see [Service.Confirm].
	org   id.Org
	guest bool // the reader is one
}

// thumbnail is the thumbnail of a file. Its zero value means that the file itself is shown.
type thumbnail struct{ path, mediaType string }

// thumbnailOf returns the thumbnail in the columns of a file.
func thumbnailOf(path, mediaType *string) *thumbnail {
	if mediaType == nil {
		return nil
	}
	if path == nil {
		return &thumbnail{}
	}
	return &thumbnail{*path, *mediaType}
}

// Tag identifies a file: it never changes, and no other file has it.
func (r Readable) Tag() string { return r.path[strings.LastIndexByte(r.path, '/')+1:] }

// Find returns a file that an account may read. The address is the part after [Prefix]. It fails with [ErrUnknown] or
// [ErrForbidden].
func (s *Service) Find(ctx context.Context, who actor.Actor, address string) (found Readable, err error) {
	path, slug, err := split(address)
	if err != nil {
		return found, err
	}
	err = s.DB.Read(ctx, who.Org(), func(tx *store.Tx) error {
		row, err := tx.AttachmentForReader(ctx, int64(who.User), who.Role == actor.Guest, path)
		switch {
		case store.IsNotFound(err) || err == nil && row.Slug != slug:
			return ErrUnknown
		case err != nil:
			return err
		case !row.Readable:
			return ErrForbidden
		}
		found = Readable{
			ID: row.AttachmentID, Name: row.Name, MediaType: row.MediaType, Created: row.CreatedAt, Reader: who.User,
			path: row.Path, slug: row.Slug, size: row.Size, thumbnail: thumbnailOf(row.ThumbnailPath, row.ThumbnailType),
		}
		return nil
	})
	return found, err
}

// split divides the part of an address after [Prefix] into the file's path in the storage and its slug.
func split(address string) (path, slug string, err error) {
	end := 0
	for range 3 {
		i := strings.IndexByte(address[end:], '/')
		if i < 0 {
			return "", "", ErrUnknown
		}
		end += i + 1
	}
	path = address[:end-1]
	if strings.ContainsFunc(path, func(r rune) bool { return r != '/' && (r < '0' || r > '9') && (r < 'a' || r > 'z') }) {
		return "", "", ErrUnknown
	}
	return path, address[end:], nil
}

// Open opens a file. The caller closes it. Open fails with [ErrUnknown] if the file isn't in the storage, with [ErrNotShown], and
// with the errors of file.Store.Open.
func (s *Service) Open(ctx context.Context, r Readable) (blob.File, error) {
	opened, err := s.Files.Open(ctx, r.path)
	if errors.Is(err, blob.ErrNotFound) {
		return nil, ErrUnknown.Wrap(fmt.Errorf("attachment %d: %w", r.ID, err))
	}
	if err != nil || !r.unasked || !strings.HasPrefix(r.MediaType, "image/") {
		return opened, err
	}
	if err := showable(opened); err != nil {
		_ = opened.Close() // it was only read
		return nil, err
	}
	return opened, nil
}

// Temporary returns an address at which a file that the account may read can be read without a login for [temporaryTime], unless the
// account may not read it anymore, or the organization is deactivated before. It fails with the errors of [Service.Find].
func (s *Service) Temporary(ctx context.Context, who actor.Actor, address string) (string, error) {
	found, err := s.Find(ctx, who, address)
	if err != nil {
		return "", err
	}
	until := s.Now().Add(temporaryTime).Unix()
	token := binary.BigEndian.AppendUint64(nil, uint64(found.ID))
	token = binary.BigEndian.AppendUint64(token, uint64(until))
	token = binary.BigEndian.AppendUint64(token, uint64(who.User))
	token = append(token, s.Keys.Sign(grant(who.Org(), found.ID, until, who.User))...)
	return Prefix + "temporary/" + base64.RawURLEncoding.EncodeToString(token) + "/" + found.slug, nil
}

// grant returns the signed text of an address that needs no login. Its prefix differs from those of the addresses of images,
// which the same key signs.
func grant(org id.Org, attachment id.Attachment, until int64, by id.User) string {
	return fmt.Sprintf("read %d %d %d %d", org, attachment, until, by)
}

// FindTemporary returns the file of an address that [Service.Temporary] has returned. The host is that of the file's organization.
// The caller then calls [Service.Confirm], which may take long for a file in many messages. FindTemporary fails with [ErrToken] or
// [ErrFilename].
func (s *Service) FindTemporary(ctx context.Context, host, token, slug string) (found Readable, err error) {
	sent, err := base64.RawURLEncoding.Strict().DecodeString(token)
	if err != nil || len(sent) != 24+keyring.Size {
		return found, ErrToken
	}
	attachment := id.Attachment(binary.BigEndian.Uint64(sent))
	until, by := int64(binary.BigEndian.Uint64(sent[8:])), id.User(binary.BigEndian.Uint64(sent[16:]))
	if s.Now().Unix() > until {
		return found, ErrToken
	}
	o, err := s.Orgs.ByHost(ctx, host)
	if err != nil {
		return found, err
	}
	if o.Deactivated || !s.Keys.SignedByNewest(ctx, grant(o.ID, attachment, until, by), sent[24:]) {
		return found, ErrToken
	}
	err = s.DB.Read(ctx, o.ID, func(tx *store.Tx) error {
		of, err := tx.UsersByID(ctx, []int64{int64(by)})
		if err != nil {
			return err
		}
		if len(of) == 0 || !of[0].Active {
			return ErrToken
		}
		row, err := tx.Attachment(ctx, attachment)
		switch {
		case store.IsNotFound(err):
			return ErrToken
		case err != nil:
			return err
		case row.Slug != slug:
			return ErrFilename
		}
		found = Readable{
			ID: row.AttachmentID, Name: row.Name, MediaType: row.MediaType, Created: row.CreatedAt, Reader: by,
			path: row.Path, slug: row.Slug, size: row.Size, thumbnail: thumbnailOf(row.ThumbnailPath, row.ThumbnailType),
			org: o.ID, guest: of[0].Role == actor.Guest,
		}
		return nil
	})
	return found, err
}

// Confirm fails with [ErrToken] if the account that requested the address of a file that [Service.FindTemporary] has found may not read
// the file anymore.
func (s *Service) Confirm(ctx context.Context, found Readable) error {
	return s.DB.Read(ctx, found.org, func(tx *store.Tx) error {
		row, err := tx.AttachmentForReader(ctx, int64(found.Reader), found.guest, found.path)
		if store.IsNotFound(err) || err == nil && !row.Readable {
			return ErrToken
		}
		return err
	})
}

// List returns an account's files, oldest first, and the size of all files of the organization in bytes. If the account has too many
// files, it returns the newest ones.
func (s *Service) List(ctx context.Context, who actor.Actor) (list []event.AttachmentObject, used int64, err error) {
	err = s.DB.ReadReplica(ctx, who.Org(), func(tx *store.Tx) error {
		rows, err := tx.AttachmentsOf(ctx, who.User, maxListed, maxListedBytes)
		if err != nil {
			return err
		}
		list = make([]event.AttachmentObject, len(rows))
		for i, row := range rows {
			if err := json.Unmarshal(row, &list[i]); err != nil {
				return fmt.Errorf("decode an attachment: %w", err)
			}
		}
		used, err = tx.UploadSpace(ctx)
		return err
	})
	return list, used, err
}
