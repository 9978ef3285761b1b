package admin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"chatserver.dev/pkg/account"
	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/adminapi"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/login"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/subscription"
	"chatserver.dev/pkg/user"
)

// errMoved reports that an account has another key by now.
var errMoved = errors.New("the account is managed under another key")

// userDetails is the data that is stored with the key of a person's account.
type userDetails struct {
	// Groups are the user groups that the caller added the person to, and may remove them from.
	Groups []id.Group `json:"groups,omitempty"`
	// Announced says that mail about the account was sent.
	Announced bool `json:"announced,omitempty"`
}

// ensuredUser is a person's account while it is being ensured.
type ensuredUser struct {
	user.User

	created bool
	left    int64 // of creating it, for account.Service.Settle
	changed []string
	was     held // the key before this call
	details userDetails
}

// EnsureUser creates or updates the account of a person with a key. As for people's requests, the organization's settings must permit
// the address, and the organization must keep an owner.
func (s *Service) EnsureUser(ctx context.Context, orgKey, key string, spec adminapi.UserSpec) (adminapi.Ensured[adminapi.User], error) {
	none := adminapi.Ensured[adminapi.User]{}
	if err := errors.Join(checkKey(key), checkUser(spec)); err != nil {
		return none, err
	}
	found, err := s.find(ctx, orgKey)
	if err != nil {
		return none, err
	}
	hash, err := s.firstPassword(ctx, found, key, spec)
	if err != nil {
		return none, err
	}
	u := ensuredUser{}
	who, err := s.write(ctx, found, func(tx *store.Tx, o org.Org, _ actor.Actor) (err error) {
		u, err = s.ensureUser(ctx, tx, o, key, spec, hash)
		return err
	})
	if store.IsDuplicate(err) { // another call has just taken the address
		err = account.ErrAddressTaken
	}
	if err == nil {
		err = s.Accounts.Settle(ctx, found, u.left)
	}
	if err == nil {
		err = s.repairUser(ctx, who, &u, spec)
	}
	if err == nil && spec.Groups != nil {
		err = s.ensureMemberships(ctx, who, key, &u, spec.Groups)
	}
	if err != nil {
		return none, err
	}
	if u.created {
		u.changed = nil
	}
	state, err := s.User(ctx, orgKey, key)
	return adminapi.Ensured[adminapi.User]{State: state, Created: u.created, Changed: listed(u.changed)}, err
}

func checkUser(spec adminapi.UserSpec) error {
	if spec.Role != nil && !isRole(actor.Role(*spec.Role)) {
		return ErrRole
	}
	if spec.Email == nil {
		return nil
	}
	return checkEmail(*spec.Email)
}

// firstPassword returns the hash of the password in a spec; empty: the spec has none, or the account already has one. It isn't part
// of the transaction, because computing it takes too long.
func (s *Service) firstPassword(ctx context.Context, found id.Org, key string, spec adminapi.UserSpec) (hash string, err error) {
	if spec.Password == "" {
		return "", nil
	}
	known, needed := []string{deref(spec.Email), deref(spec.FullName)}, true
	err = s.DB.Read(ctx, found, func(tx *store.Tx) error {
		was, err := objectFrom(ctx, tx, User, key, spec.AdoptFrom)
		if err != nil || was.object == 0 {
			return err
		}
		u, err := user.ByID(ctx, tx, id.User(was.object))
		if err != nil {
			return err
		}
		known = append(known, u.RealEmail, u.FullName)
		has, err := hasPassword(ctx, tx, u.ID)
		needed = !has
		return err
	})
	if err != nil || !needed {
		return "", err
	}
	return account.NewPassword(ctx, s.Logins, spec.Password, known...)
}

func hasPassword(ctx context.Context, tx *store.Tx, of id.User) (bool, error) {
	_, err := tx.PasswordOf(ctx, of)
	if store.IsNotFound(err) {
		return false, nil
	}
	return err == nil, err
}

// ensureUser finds, adopts or creates an account, sets its address and, if it has no password, the one with the given hash.
func (s *Service) ensureUser(ctx context.Context, tx *store.Tx, o org.Org, key string, spec adminapi.UserSpec, hash string) (u ensuredUser, err error) {
	if err := errors.Join(tx.LockAccounts(ctx), tx.LockInvitations(ctx)); err != nil {
		return u, fmt.Errorf("lock accounts: %w", err)
	}
	if u, err = heldUser(ctx, tx, key, spec.AdoptFrom); err != nil {
		return u, err
	}
	if u.ID == 0 {
		if u.User, err = adoptUser(ctx, tx, spec); err != nil {
			return u, err
		}
	}
	switch {
	case u.ID == 0:
		u, err = s.makeUser(ctx, tx, o, spec)
	case spec.Email != nil:
		err = s.setAddress(ctx, tx, o, &u, *spec.Email)
	}
	if err == nil && hash != "" {
		err = setFirstPassword(ctx, tx, &u, hash)
	}
	if err != nil {
		return u, err
	}
	announce := spec.Announce && !u.details.Announced && or(spec.Active, u.Active)
	if announce {
		u.details.Announced = true
		if err := s.Logins.Announce(ctx, tx, u.RealEmail); err != nil {
			return u, err
		}
	}
	switch {
	case u.was.key != key:
		u.changed = append(u.changed, fieldKey)
	case !announce:
		return u, nil
	}
	return u, keepUser(ctx, tx, key, u)
}

// setAddress sets the address of an existing account, if it differs in more than letter case.
func (s *Service) setAddress(ctx context.Context, tx *store.Tx, o org.Org, u *ensuredUser, address string) error {
	if strings.EqualFold(address, u.RealEmail) {
		return nil
	}
	u.changed = append(u.changed, "email")
	if err := s.Accounts.SetAddress(ctx, tx, o, u.User, address); err != nil {
		return err
	}
	u.RealEmail = address
	return nil
}

// setFirstPassword sets the password with the hash, unless the account has one.
func setFirstPassword(ctx context.Context, tx *store.Tx, u *ensuredUser, hash string) error {
	if has, err := hasPassword(ctx, tx, u.ID); err != nil || has {
		return err
	}
	u.changed = append(u.changed, "password")
	return login.SetPassword(ctx, tx, u.ID, hash, 0)
}

// heldUser returns the account that objectFrom finds; without an ID: there is none.
func heldUser(ctx context.Context, tx *store.Tx, key, from string) (u ensuredUser, err error) {
	if u.was, err = objectFrom(ctx, tx, User, key, from); err != nil || u.was.object == 0 {
		return u, err
	}
	if err := json.Unmarshal(u.was.details, &u.details); err != nil {
		return u, fmt.Errorf("decode details of user %d: %w", u.was.object, err)
	}
	u.User, err = user.ByID(ctx, tx, id.User(u.was.object))
	return u, err
}

// adoptUser returns the existing account with the desired address if adopt is set or it is deactivated; without an ID: there is none.
func adoptUser(ctx context.Context, tx *store.Tx, spec adminapi.UserSpec) (user.User, error) {
	if spec.Email == nil {
		return user.User{}, fault.Missing("email")
	}
	there, err := user.ByRealEmail(ctx, tx, *spec.Email)
	switch {
	case errors.Is(err, user.ErrNoSuchUser):
		return user.User{}, nil
	case err != nil:
		return user.User{}, err
	case there.IsBot() || there.System:
		return user.User{}, ErrNotPerson.Format(*spec.Email)
	}
	return there, adoptable(ctx, tx, User, *spec.Email, int64(there.ID), spec.Adopt || !there.Active)
}

// makeUser creates an account.
func (s *Service) makeUser(ctx context.Context, tx *store.Tx, o org.Org, spec adminapi.UserSpec) (u ensuredUser, err error) {
	name, _, _ := strings.Cut(*spec.Email, "@")
	draft := user.Draft{RealEmail: *spec.Email, FullName: or(spec.FullName, name)}
	if spec.Role != nil {
		draft.Role = actor.Role(*spec.Role)
	}
	u.created = true
	u.User, u.left, err = s.Accounts.Enter(ctx, tx, o, draft)
	return u, ofName(err, draft.FullName)
}

// encodedDetails returns the details as they are stored with the key.
func (u ensuredUser) encodedDetails() ([]byte, error) {
	details, err := json.Marshal(u.details)
	if err != nil {
		return nil, fmt.Errorf("encode details of user %d: %w", u.ID, err)
	}
	return details, nil
}

func keepUser(ctx context.Context, tx *store.Tx, key string, u ensuredUser) error {
	details, err := u.encodedDetails()
	if err != nil {
		return err
	}
	return keep(ctx, tx, User, u.was, key, int64(u.ID), details)
}

// saveUser stores the details of an account in its own transaction, unless it has another key by now.
func (s *Service) saveUser(ctx context.Context, in id.Org, key string, u ensuredUser) error {
	details, err := u.encodedDetails()
	if err != nil {
		return err
	}
	params := sqlc.SaveExternalDetailsParams{Details: details, Kind: string(User), ExternalKey: key, ObjectID: int64(u.ID)}
	return s.DB.Write(ctx, in, func(tx *store.Tx) error { return tx.SaveExternalDetails(ctx, params) })
}

// repairUser changes the fields of an account that differ. It deactivates an account after other changes.
func (s *Service) repairUser(ctx context.Context, who actor.Actor, u *ensuredUser, spec adminapi.UserSpec) error {
	wanted := user.Change{FullName: spec.FullName, Active: spec.Active}
	if spec.Role != nil {
		wanted.Role = new(actor.Role(*spec.Role))
	}
	change, changed := differs(u.User, wanted)
	u.changed = append(u.changed, changed...)
	if change.FullName != nil || change.Role != nil {
		err := s.Accounts.Change(ctx, who, u.ID, account.Change{FullName: change.FullName, Role: change.Role})
		if err != nil {
			return ofName(err, deref(change.FullName))
		}
	}
	switch {
	case change.Active == nil:
		return nil
	case *change.Active:
		return s.Accounts.Reactivate(ctx, who, u.ID)
	default:
		return s.Accounts.Deactivate(ctx, who, u.ID)
	}
}

// User returns the current state of the account with a key.
func (s *Service) User(ctx context.Context, orgKey, key string) (state adminapi.User, err error) {
	err = s.read(ctx, orgKey, func(tx *store.Tx) error {
		account, err := User.account(ctx, tx, key)
		if err != nil {
			return err
		}
		if state.Account, _, err = s.state(ctx, tx, key, account); err != nil {
			return err
		}
		if state.HasPassword, err = hasPassword(ctx, tx, account); err != nil {
			return err
		}
		groups, err := tx.UserGroupsOf(ctx, int64(account))
		state.Groups = listed(names(groups))
		return err
	})
	return state, err
}

// RemoveUser deactivates the account with a key and the person's bots, removes it from the user groups that the caller added it to,
// and removes the key.
func (s *Service) RemoveUser(ctx context.Context, orgKey, key string) (adminapi.Removal, error) {
	found, err := s.find(ctx, orgKey)
	if err != nil {
		return adminapi.Removal{}, err
	}
	u, who := ensuredUser{}, actor.Actor{}
	err = s.DB.Read(ctx, found, func(tx *store.Tx) error {
		if _, who, err = s.system(ctx, tx); err != nil {
			return err
		}
		u, err = heldUser(ctx, tx, key, "")
		return err
	})
	if err != nil || u.ID == 0 {
		return adminapi.Removal{}, err
	}
	err = s.Accounts.DeactivateIf(ctx, who, u.ID, func(tx *store.Tx) error {
		now, err := object(ctx, tx, User, key)
		if err == nil && now.object != u.was.object {
			err = errMoved
		}
		return err
	})
	switch {
	case errors.Is(err, errMoved):
		return adminapi.Removal{}, nil
	case err != nil && !errors.Is(err, subscription.ErrUserDeactivated):
		return adminapi.Removal{}, err
	}
	if err := s.ensureMemberships(ctx, who, key, &u, nil); err != nil {
		return adminapi.Removal{}, err
	}
	removed := adminapi.Removal{Removed: true}
	return removed, s.DB.Write(ctx, found, func(tx *store.Tx) error { return tx.RemoveExternalKey(ctx, string(User), key, int64(u.ID)) })
}
