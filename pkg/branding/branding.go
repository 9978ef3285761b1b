// Package branding manages the icons and logos of organizations (rest-api.md, section 5.8). Package org has their addresses.
package branding

import (
	"bytes"
	"context"
	"io"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/blob"
	"chatserver.dev/pkg/file"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/picture"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/user"
)

// The sizes of pictures in pixels: the side of an icon, and the largest size of a logo.
const (
	iconSide   = 100
	logoWidth  = 800
	logoHeight = 100
)

// Deps are the dependencies of a [Service].
type Deps struct {
	DB       *store.DB
	Orgs     *org.Service
	Files    *file.Store
	Pictures *picture.Maker
}

// Service changes pictures of organizations. It is safe for concurrent use.
type Service struct{ Deps }

// New makes the service.
func New(d Deps) *Service { return &Service{d} }

// SetBy is [Service.Set] for a caller, who is an administrator. Making a picture may have to wait for others' pictures, so the
// caller is checked again afterwards: SetBy also fails with [permit.ErrNotAdmin] and the errors of [user.Current].
func (s *Service) SetBy(ctx context.Context, who actor.Actor, kind org.PictureKind, image io.Reader) (url string, err error) {
	return s.set(ctx, who.Org(), kind, image, func(tx *store.Tx) error {
		now, err := user.Current(ctx, tx, who)
		if err != nil {
			return err
		}
		return permit.Admin.Check(now)
	})
}

// Set reads an image, makes it a picture of the organization, and returns the picture's path. It fails with [picture.ErrNoImage],
// [picture.ErrLarge], [picture.ErrBusy], and the errors of reading the image and of file.Store.Save.
func (s *Service) Set(ctx context.Context, of id.Org, kind org.PictureKind, image io.Reader) (url string, err error) {
	return s.set(ctx, of, kind, image, func(*store.Tx) error { return nil })
}

func (s *Service) set(
	ctx context.Context, of id.Org, kind org.PictureKind, image io.Reader, allow func(tx *store.Tx) error,
) (url string, err error) {
	uploaded, err := io.ReadAll(image)
	if err != nil {
		return "", err
	}
	made, err := s.make(ctx, of, kind, uploaded)
	if err != nil {
		return "", err
	}
	err = s.Files.Save(ctx, of, bytes.NewReader(made), func(tx *store.Tx, kept file.Saved) error {
		if err := allow(tx); err != nil {
			return err
		}
		// SetPicture comes before the other writes. No foreign key needs the file earlier.
		if url, err = s.change(ctx, tx, kind, kept.Path); err != nil {
			return err
		}
		return file.Add(ctx, tx, kept)
	})
	return url, err
}

func (s *Service) make(ctx context.Context, of id.Org, kind org.PictureKind, uploaded []byte) ([]byte, error) {
	if kind != org.Icon {
		return s.Pictures.Fit(ctx, of, uploaded, logoWidth, logoHeight)
	}
	squares, err := s.Pictures.Squares(ctx, of, uploaded, iconSide)
	if err != nil {
		return nil, err
	}
	return squares[0], nil
}

// Remove removes a picture of the organization, if any, and returns the path of the default picture that replaces it.
func (s *Service) Remove(ctx context.Context, of id.Org, kind org.PictureKind) (url string, err error) {
	return store.Write(ctx, s.DB, of, func(tx *store.Tx) (string, error) { return s.change(ctx, tx, kind, "") })
}

func (s *Service) change(ctx context.Context, tx *store.Tx, kind org.PictureKind, path string) (url string, err error) {
	before, after, err := s.Orgs.SetPicture(ctx, tx, kind, path)
	if err != nil {
		return "", err
	}
	if old := before.Picture(kind).Path; old != "" {
		err = file.Drop(ctx, tx, old)
	}
	return after.PictureURL(kind), err
}

// URL returns the path of a picture of the organization, uploaded or not.
func (s *Service) URL(ctx context.Context, of id.Org, kind org.PictureKind) (url string, err error) {
	o, err := s.load(ctx, of)
	return o.PictureURL(kind), err
}

// Open returns an uploaded picture of an organization as PNG. The caller closes it. It fails with [blob.ErrNotFound] if there is none,
// and with the errors of file.Store.Open.
func (s *Service) Open(ctx context.Context, of id.Org, kind org.PictureKind) (blob.File, error) {
	o, err := s.load(ctx, of)
	path := o.Picture(kind).Path
	switch {
	case store.IsNotFound(err), err == nil && path == "":
		return nil, blob.ErrNotFound
	case err != nil:
		return nil, err
	}
	return s.Files.Open(ctx, path)
}

func (s *Service) load(ctx context.Context, of id.Org) (org.Org, error) {
	return store.Read(ctx, s.DB, of, func(tx *store.Tx) (org.Org, error) { return s.Orgs.Load(ctx, tx) })
}
