package login

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/password"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/user"
)

// Faults of changing one's own password (rest-api.md, section 4.4).
var (
	ErrWrongPassword = fault.Plain("Wrong password!")
	ErrWeak          = fault.Plain("New password is too weak!")
)

// ChangePassword replaces the caller's password, signs out all other programs, and sends a mail about it. A caller without a
// password, who uses the account's API key, sets the first one with an empty before.
// It fails with [ErrWrongPassword], [ErrWeak], [password.ErrTooLong], [ErrTries], [ErrUnavailable], [password.ErrBusy] or the errors of
// [user.Current].
func (s *Service) ChangePassword(ctx context.Context, who actor.Actor, before, after string) error {
	all := triesAt(who.Org(), who.RealEmail)
	tries := all + " itself" // strangers who guess the password don't keep its owner from changing it
	if err := s.count(ctx, tries, all); err != nil {
		return err
	}
	found := account{User: user.User{ID: who.User}}
	err := s.DB.Read(ctx, who.Org(), func(tx *store.Tx) (err error) {
		found.hash, err = storedPassword(ctx, tx, who.User)
		return err
	})
	if err != nil {
		return err
	}
	ok, _, err := s.matches(ctx, found, before)
	switch {
	case err != nil:
		return err
	case !ok && (found.hash != "" || before != ""):
		return ErrWrongPassword
	}
	s.forget(ctx, tries)
	hash, err := s.NewPassword(ctx, after, who.RealEmail, who.FullName)
	if err != nil {
		return err
	}
	return s.DB.Write(ctx, who.Org(), func(tx *store.Tx) error {
		if err := tx.LockUser(ctx, int64(who.User)); err != nil {
			return err
		}
		// Without a password there is nothing to compare, and the wait for the hasher may have been long.
		of, err := user.Current(ctx, tx, who)
		if err != nil {
			return err
		}
		current, err := storedPassword(ctx, tx, who.User)
		if err != nil {
			return err
		}
		if current != found.hash {
			return ErrWrongPassword // another request has changed it
		}
		return s.replacePassword(ctx, tx, of.User, of.RealEmail, current, hash, who.Login)
	})
}

// NewPassword returns the hash of a new password. known are texts that others know about the person. It fails with
// [ErrWeak], [password.ErrTooLong] or [password.ErrBusy].
func (s *Service) NewPassword(ctx context.Context, chosen string, known ...string) (hash string, err error) {
	if len(chosen) > password.MaxBytes {
		return "", password.ErrTooLong
	}
	strong, err := s.Hasher.Strong(ctx, chosen, known...)
	switch {
	case err != nil:
		return "", err
	case !strong:
		return "", ErrWeak
	}
	return s.Hasher.Hash(ctx, chosen)
}

// SetPassword stores the hash of an account's password and signs out all programs except but. 0 means no exception.
func SetPassword(ctx context.Context, tx *store.Tx, of id.User, hash string, but id.Login) error {
	if err := tx.SetPassword(ctx, of, hash); err != nil {
		return err
	}
	return SignOut(ctx, tx, of, but)
}

// SignOut revokes all of an account's logins except but. 0 means no exception. Their keys are refused within a few seconds.
func SignOut(ctx context.Context, tx *store.Tx, of id.User, but id.Login) error {
	return tx.EndLogins(ctx, of, int64(but), 0)
}

// storedPassword returns the hash of an account's password, or "" if there is none.
func storedPassword(ctx context.Context, tx *store.Tx, of id.User) (string, error) {
	hash, err := tx.PasswordOf(ctx, of)
	if err != nil && !store.IsNotFound(err) {
		return "", err
	}
	return hash, nil
}
