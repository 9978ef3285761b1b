package avatar

import (
	"bytes"
	"context"
	"io"
	"strings"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/blob"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/file"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/picture"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/user"
)

// ErrDisabled says that the organization lets only administrators change pictures.
var ErrDisabled = fault.Plain("Avatar changes are disabled in this organization.")

// Deps are what a [Service] works with.
type Deps struct {
	DB       *store.DB
	Orgs     *org.Service
	Files    *file.Keeper
	Pictures *picture.Maker
}

// Service changes pictures. It is safe for concurrent use.
type Service struct{ Deps }

// New makes the service.
func New(d Deps) *Service { return &Service{d} }

// SetOwn makes an image, which it reads, the caller's picture, and returns the path of it. It fails with [ErrDisabled], [picture.ErrNoImage],
// [picture.ErrLarge], [picture.ErrBusy], what reading fails with, and what file.Keeper.Keep fails with.
func (s *Service) SetOwn(ctx context.Context, who actor.Actor, image io.Reader) (url string, err error) {
	err = s.DB.Read(ctx, who.Org(), func(tx *store.Tx) error {
		o, err := s.Orgs.Load(ctx, tx)
		if err != nil {
			return err
		}
		return allowed(who, o)
	})
	if err != nil {
		return "", err
	}
	return s.Set(ctx, who.Org(), who.User, image, func(o org.Org, _ user.User) error { return allowed(who, o) })
}

// Set is [Service.SetOwn] for any account, if allow allows it of the account as it is then.
func (s *Service) Set(
	ctx context.Context, of id.Org, account id.User, image io.Reader, allow func(o org.Org, before user.User) error,
) (url string, err error) {
	made, err := s.Make(ctx, image)
	if err != nil {
		return "", err
	}
	return s.Put(ctx, of, account, made, allow)
}

// Made is a picture in its sizes, which isn't kept yet.
type Made struct{ packed []byte }

// Make makes a picture of an image, which it reads. It fails with [picture.ErrNoImage], [picture.ErrLarge], [picture.ErrBusy], and with what
// reading fails with.
func (s *Service) Make(ctx context.Context, image io.Reader) (Made, error) {
	uploaded, err := io.ReadAll(image)
	if err != nil {
		return Made{}, err
	}
	squares, err := s.Pictures.Squares(ctx, uploaded, sides()...)
	if err != nil {
		return Made{}, err
	}
	packed, err := pack(squares)
	return Made{packed}, err
}

// Keep stores a picture for an account, with what commit writes, in the transaction in which commit calls file.Add. It fails with what
// commit and file.Keeper.Keep fail with.
func (s *Service) Keep(ctx context.Context, of id.Org, made Made, commit func(tx *store.Tx, kept file.Kept) error) error {
	return s.Files.Keep(ctx, of, bytes.NewReader(made.packed), commit)
}

// Put makes a picture an account's, if allow allows it of the account as it is then, and returns the path of it. It fails with what allow and
// [Service.Keep] fail with.
func (s *Service) Put(
	ctx context.Context, of id.Org, account id.User, made Made, allow func(o org.Org, before user.User) error,
) (url string, err error) {
	err = s.Keep(ctx, of, made, func(tx *store.Tx, kept file.Kept) error {
		url, err = s.change(ctx, tx, account, func(o org.Org, before user.User) (string, error) {
			if err := allow(o, before); err != nil {
				return "", err
			}
			return kept.Path, file.Add(ctx, tx, kept)
		})
		return err
	})
	return url, err
}

// RemoveOwn takes the caller's picture away, if there is one, and returns the path of the one that is drawn instead. It fails
// with [ErrDisabled].
func (s *Service) RemoveOwn(ctx context.Context, who actor.Actor) (url string, err error) {
	err = s.DB.Write(ctx, who.Org(), func(tx *store.Tx) error {
		url, err = s.change(ctx, tx, who.User, func(o org.Org, _ user.User) (string, error) { return "", allowed(who, o) })
		return err
	})
	return url, err
}

func allowed(who actor.Actor, o org.Org) error {
	if o.Settings.AvatarChangesDisabled && !who.Role.IsAdmin() {
		return ErrDisabled
	}
	return nil
}

// change makes a file an account's picture in place of the one before.
func (s *Service) change(
	ctx context.Context, tx *store.Tx, of id.User, choose func(o org.Org, before user.User) (path string, err error),
) (url string, err error) {
	if err := tx.LockUser(ctx, int64(of)); err != nil {
		return "", err
	}
	o, err := s.Orgs.Load(ctx, tx)
	if err != nil {
		return "", err
	}
	before, err := user.ByID(ctx, tx, of)
	if err != nil {
		return "", err
	}
	path, err := choose(o, before)
	if err != nil {
		return "", err
	}
	if path == before.AvatarPath {
		return user.AvatarURL(o, before), nil
	}
	after, err := user.SetAvatar(ctx, tx, o, before, path)
	if err == nil && before.AvatarPath != "" {
		err = file.Drop(ctx, tx, before.AvatarPath)
	}
	return user.AvatarURL(o, after), err
}

// Open returns the picture at a path in one of its sizes in pixels, and its bytes' number; the caller closes it. It fails with
// [blob.ErrNotFound] if it is nobody's, and with what file.Keeper.Open fails with.
func (s *Service) Open(ctx context.Context, of id.Org, path string, side int) (Image, error) {
	if strings.Trim(path, "abcdefghijklmnopqrstuvwxyz0123456789/") != "" {
		return Image{}, blob.ErrNotFound // nor can it be asked for
	}
	found := false
	err := s.DB.Read(ctx, of, func(tx *store.Tx) (err error) {
		found, err = tx.HasAvatar(ctx, path)
		return err
	})
	switch {
	case err != nil:
		return Image{}, err
	case !found:
		return Image{}, blob.ErrNotFound
	}
	both, err := s.Files.Open(ctx, path)
	if err != nil {
		return Image{}, err
	}
	return unpack(both, side)
}
