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

// ErrDisabled says that only administrators may change pictures in the organization.
var ErrDisabled = fault.Plain("Avatar changes are disabled in this organization.")

// Deps are the dependencies of a [Service].
type Deps struct {
	DB       *store.DB
	Orgs     *org.Service
	Files    *file.Store
	Pictures *picture.Maker
}

// Service changes pictures. It is safe for concurrent use.
type Service struct{ Deps }

// New makes the service.
func New(d Deps) *Service { return &Service{d} }

// SetOwn reads an image, makes it the caller's picture, and returns the picture's URL. It fails with [ErrDisabled],
// and those of [Service.Make], file.Store.Save and [user.Current]: making a picture may have to wait for others' pictures, so the
// caller is checked again afterwards.
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
	made, err := s.Make(ctx, who.Org(), image)
	if err != nil {
		return "", err
	}
	return s.put(ctx, who.Org(), who.User, made, func(tx *store.Tx, o org.Org) error {
		now, err := user.Current(ctx, tx, who)
		if err != nil {
			return err
		}
		return allowed(now, o)
	})
}

// Set is [Service.Make] and [Service.Put].
func (s *Service) Set(ctx context.Context, of id.Org, account id.User, image io.Reader) (url string, err error) {
	made, err := s.Make(ctx, of, image)
	if err != nil {
		return "", err
	}
	return s.Put(ctx, of, account, made)
}

// Picture is a picture in all its sizes, not yet stored.
type Picture struct{ packed []byte }

// Make reads an image of an organization and makes a picture of it. It fails with [picture.ErrNoImage], [picture.ErrLarge], [picture.ErrBusy], and the
// errors of reading the image.
func (s *Service) Make(ctx context.Context, of id.Org, image io.Reader) (Picture, error) {
	uploaded, err := io.ReadAll(image)
	if err != nil {
		return Picture{}, err
	}
	squares, err := s.Pictures.Squares(ctx, of, uploaded, sides()...)
	if err != nil {
		return Picture{}, err
	}
	packed, err := pack(squares)
	return Picture{packed}, err
}

// Keep stores a picture and calls commit in a transaction. commit calls file.Add and may write more. Keep fails with the errors of
// commit and of file.Store.Save.
func (s *Service) Keep(ctx context.Context, of id.Org, made Picture, commit func(tx *store.Tx, kept file.Saved) error) error {
	return s.Files.Save(ctx, of, bytes.NewReader(made.packed), commit)
}

// Put stores a picture, makes it the picture of an account, and returns its URL. It fails with the errors of [Service.Keep].
func (s *Service) Put(ctx context.Context, of id.Org, account id.User, made Picture) (url string, err error) {
	return s.put(ctx, of, account, made, func(*store.Tx, org.Org) error { return nil })
}

// put is Put that calls allow in the transaction, with the account locked.
func (s *Service) put(
	ctx context.Context, of id.Org, account id.User, made Picture, allow func(tx *store.Tx, o org.Org) error,
) (url string, err error) {
	err = s.Keep(ctx, of, made, func(tx *store.Tx, kept file.Saved) error {
		url, err = s.change(ctx, tx, account, func(o org.Org) (string, error) {
			if err := allow(tx, o); err != nil {
				return "", err
			}
			return kept.Path, file.Add(ctx, tx, kept)
		})
		return err
	})
	return url, err
}

// RemoveOwn removes the caller's picture, if any, and returns the URL of the generated picture that replaces it. It fails
// with [ErrDisabled].
func (s *Service) RemoveOwn(ctx context.Context, who actor.Actor) (url string, err error) {
	return store.Write(ctx, s.DB, who.Org(), func(tx *store.Tx) (string, error) {
		return s.change(ctx, tx, who.User, func(o org.Org) (string, error) { return "", allowed(who, o) })
	})
}

func allowed(who actor.Actor, o org.Org) error {
	if o.Settings.AvatarChangesDisabled && !who.Role.IsAdmin() {
		return ErrDisabled
	}
	return nil
}

// change sets an account's picture to the file at the path that choose returns, and drops the previous picture. An empty path
// removes the picture.
func (s *Service) change(
	ctx context.Context, tx *store.Tx, of id.User, choose func(o org.Org) (path string, err error),
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
	path, err := choose(o)
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

// Open returns the picture at a path, with a width and height of side pixels. The caller closes it. It fails with [blob.ErrNotFound]
// if no account has the picture, and with the errors of file.Store.Open.
func (s *Service) Open(ctx context.Context, of id.Org, path string, side int) (Image, error) {
	if strings.Trim(path, "abcdefghijklmnopqrstuvwxyz0123456789/") != "" {
		return Image{}, blob.ErrNotFound // PostgreSQL may refuse such a text
	}
	found, err := store.Read(ctx, s.DB, of, func(tx *store.Tx) (bool, error) { return tx.HasAvatar(ctx, path) })
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
