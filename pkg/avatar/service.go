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

// SetOwn reads an image, makes it the caller's picture, and returns the picture's URL. It fails with [ErrDisabled],
// [picture.ErrNoImage], [picture.ErrLarge], [picture.ErrBusy], what reading fails with, and what file.Keeper.Keep fails with.
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

// Set is [Service.SetOwn] for any account. In the transaction that changes the account, it asks allow, and fails with its error.
func (s *Service) Set(
	ctx context.Context, of id.Org, account id.User, image io.Reader, allow func(o org.Org, before user.User) error,
) (url string, err error) {
	made, err := s.Make(ctx, image)
	if err != nil {
		return "", err
	}
	return s.Put(ctx, of, account, made, allow)
}

// Made is a picture in all its sizes that isn't stored yet.
type Made struct{ packed []byte }

// Make reads an image and makes a picture of it. It fails with [picture.ErrNoImage], [picture.ErrLarge], [picture.ErrBusy], and with
// what reading fails with.
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

// Keep stores a picture in a transaction together with what commit writes; commit calls file.Add. It fails with what commit and
// file.Keeper.Keep fail with.
func (s *Service) Keep(ctx context.Context, of id.Org, made Made, commit func(tx *store.Tx, kept file.Kept) error) error {
	return s.Files.Keep(ctx, of, bytes.NewReader(made.packed), commit)
}

// Put stores a picture, makes it an account's, and returns its URL. In the transaction that changes the account, it asks allow. It
// fails with what allow and [Service.Keep] fail with.
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

// RemoveOwn removes the caller's picture, if there is one, and returns the URL of the generated one that replaces it. It fails
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

// change makes the file at the path that choose returns, or none if that is empty, an account's picture, and drops the one before.
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

// Open returns the picture at a path, a square of side pixels; the caller closes it. It fails with [blob.ErrNotFound] if no
// account has the picture, and with what file.Keeper.Open fails with.
func (s *Service) Open(ctx context.Context, of id.Org, path string, side int) (Image, error) {
	if strings.Trim(path, "abcdefghijklmnopqrstuvwxyz0123456789/") != "" {
		return Image{}, blob.ErrNotFound // the database may refuse such a text
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
