package account

import (
	"context"
	"strings"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/login"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/user"
)

// ErrNothing says that a change of the caller's own account is empty, except perhaps for the current password.
var ErrNothing = fault.Plain("Please fill out all fields.")

// OwnChange is the changes to the caller's own account. Empty members are not changed.
type OwnChange struct {
	FullName                 string
	Email                    string
	OldPassword, NewPassword string
}

// OwnChangeResult is what was changed.
type OwnChangeResult struct {
	// How to confirm a new address: by opening a link in a mail.
	AccountEmail string `json:"account_email,omitempty"`
	// The new name, if it changed.
	FullName string `json:"full_name,omitempty"`
}

// ChangeOwn changes the caller's own account. If the organization doesn't permit changes of names, it ignores the name. An
// address changes when a link in a mail to it is opened. It fails with [ErrNothing], the errors of names, of
// login.Service.ChangePassword and of [CheckAddress], [ErrAddressFixed], login.ErrTries or mail.ErrOff. The name and the password
// change only if all three are valid.
func (s *Service) ChangeOwn(ctx context.Context, who actor.Actor, change OwnChange) (OwnChangeResult, error) {
	if change == (OwnChange{OldPassword: change.OldPassword}) {
		return OwnChangeResult{}, ErrNothing
	}
	if change.FullName != "" {
		if _, err := user.CheckName(change.FullName); err != nil {
			return OwnChangeResult{}, err
		}
	}
	address := strings.TrimSpace(change.Email)
	if strings.EqualFold(address, who.RealEmail) {
		address = ""
	}
	if address != "" {
		if err := s.mayChangeAddress(ctx, who, address); err != nil {
			return OwnChangeResult{}, err
		}
	}
	if change.NewPassword != "" {
		if err := s.Logins.ChangePassword(ctx, who, change.OldPassword, change.NewPassword); err != nil {
			return OwnChangeResult{}, err
		}
	}
	changed := OwnChangeResult{}
	if address != "" {
		if err := s.askForAddress(ctx, who, address); err != nil {
			return OwnChangeResult{}, err
		}
		changed.AccountEmail = askedForConfirmation
	}
	if change.FullName == "" {
		return changed, nil
	}
	err := s.write(ctx, who, who.User, func(tx *store.Tx, who actor.Actor, o org.Org, before user.User) error {
		changed.FullName = "" // the transaction may be tried again
		if o.Settings.NameChangesDisabled && !who.Role.IsAdmin() {
			return nil
		}
		after, err := user.Update(ctx, tx, o, who.User, user.Change{FullName: &change.FullName})
		if err == nil && after.FullName != before.FullName {
			changed.FullName = after.FullName
		}
		return err
	})
	return changed, err
}

// RenewKey replaces the caller's API key, and ends all their logins.
func (s *Service) RenewKey(ctx context.Context, who actor.Actor) (key string, err error) {
	err = s.DB.Write(ctx, who.Org(), func(tx *store.Tx) error {
		if err := tx.LockUser(ctx, int64(who.User)); err != nil {
			return err
		}
		if _, err := user.Current(ctx, tx, who); err != nil {
			return err
		}
		rotation, err := s.Users.Rotate(ctx, tx, who.User, "", 0)
		if err != nil {
			return err
		}
		key = rotation.Key
		return login.SignOut(ctx, tx, who.User, 0)
	})
	return key, err
}
