package provision

import (
	"context"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"chatserver.dev/pkg/account"
	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/group"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/subscription"
	"chatserver.dev/pkg/user"
)

// maxName is the maximum number of bytes in a name or an id of a provider.
const maxName = 1000

// Errors of people.
var (
	ErrNoPerson = fault.New(fault.NotFound, fault.CodeNone, "There is no such user.")
	ErrTaken    = fault.Plain("A user with this userName or address already exists.")
	ErrEmail    = fault.Plain("A user needs a valid email address.")
	ErrUserName = fault.Plain("A userName and an externalId have 1 to 1000 bytes, without control characters.")
	// ErrFixedEmail says that the new address is for an owner. Only owners themselves can change theirs.
	ErrFixedEmail = fault.Plain("The address of an owner can't be changed by the identity provider.")
)

// Deps are the dependencies of a [Service].
type Deps struct {
	DB         *store.DB
	Orgs       *org.Service
	Accounts   *account.Service
	UserGroups *group.Service
}

// Service manages people and groups. It is safe for concurrent use.
type Service struct{ Deps }

// New makes the service.
func New(d Deps) *Service { return &Service{d} }

// Details are a provider's details of a person.
type Details struct {
	UserName   string  // the provider's name; unique, ignoring letter case
	ExternalID *string // the provider's id; nil: none
	Email      string
	FullName   string
	Active     bool
}

// Person is a person with an account.
type Person struct {
	Details
	ID      id.User
	Joined  time.Time
	Changed time.Time
}

// Filter selects people; nil fields select all.
type Filter struct {
	ID                          *id.User
	UserName, ExternalID, Email *string
}

// People returns up to limit people, by id, after skipping skip, and the total number.
func (s *Service) People(ctx context.Context, in id.Org, f Filter, skip, limit int) (people []Person, total int, err error) {
	err = s.DB.Read(ctx, in, func(tx *store.Tx) error {
		people, total, err = find(ctx, tx, f, skip, limit)
		return err
	})
	return people, total, err
}

// Person returns a person, or [ErrNoPerson].
func (s *Service) Person(ctx context.Context, in id.Org, number id.User) (Person, error) {
	return store.Read(ctx, s.DB, in, func(tx *store.Tx) (Person, error) { return one(ctx, tx, number) })
}

func one(ctx context.Context, tx *store.Tx, number id.User) (Person, error) {
	found, _, err := find(ctx, tx, Filter{ID: &number}, 0, 1)
	switch {
	case err != nil:
		return Person{}, err
	case len(found) == 0:
		return Person{}, ErrNoPerson
	}
	return found[0], nil
}

func find(ctx context.Context, tx *store.Tx, f Filter, skip, limit int) (people []Person, total int, err error) {
	rows, err := tx.ScimUsers(ctx, sqlc.ScimUsersParams{
		UserID: (*int64)(f.ID), UserName: f.UserName, ExternalID: f.ExternalID, Email: f.Email,
		Skip: int32(skip), MaxRows: int32(limit), // the caller limits them
	})
	if err != nil {
		return nil, 0, err
	}
	users, err := user.ByIDs(ctx, tx, lists.Map(rows, func(r sqlc.ScimUsersRow) id.User { return r.UserID }))
	if err != nil {
		return nil, 0, err
	}
	byID := lists.Index(users, func(u user.User) id.User { return u.ID })
	for _, row := range rows {
		u := byID[row.UserID]
		people, total = append(people, Person{
			Details: Details{UserName: row.UserName, ExternalID: row.ExternalID, Email: u.RealEmail, FullName: u.FullName, Active: u.Active},
			ID:      u.ID, Joined: u.Joined, Changed: row.ChangedAt,
		}), int(row.Total)
	}
	return people, total, nil
}

// clean returns details without surrounding white space, or an error if they are invalid.
func (d Details) clean() (Details, error) {
	if err := errors.Join(checkName(&d.UserName), checkName(d.ExternalID)); err != nil {
		return Details{}, ErrUserName
	}
	d.Email = strings.TrimSpace(d.Email)
	if !user.ValidEmail(d.Email) {
		return Details{}, ErrEmail
	}
	name, err := user.CheckName(d.FullName)
	d.FullName = name
	return d, err
}

// checkName fails with [ErrUserName] if a provider's name is invalid; nil: no name.
func checkName(name *string) error {
	if name != nil && (*name == "" || len(*name) > maxName || !utf8.ValidString(*name) || strings.ContainsFunc(*name, control)) {
		return ErrUserName
	}
	return nil
}

func control(r rune) bool { return r < ' ' || r == 0x7f }

// Create creates an account for a person, sends the welcome messages, and subscribes the person to the streams of
// their invitation, or else to the default streams. If the provider has deleted the account of that person, Create
// activates it again. It fails with [ErrTaken], [ErrEmail], [ErrUserName], the errors of account.CheckAddress, or the
// errors of names.
func (s *Service) Create(ctx context.Context, in id.Org, wanted Details) (Person, error) {
	wanted, err := wanted.clean()
	if err != nil {
		return Person{}, err
	}
	u, left := user.User{}, int64(0)
	err = s.DB.Write(ctx, in, func(tx *store.Tx) error {
		u, left, err = s.create(ctx, tx, wanted)
		return err
	})
	if err == nil {
		err = s.Accounts.Settle(ctx, in, left)
	}
	if err != nil {
		return Person{}, err
	}
	return s.Change(ctx, in, u.ID, func(Details) (Details, error) { return wanted, nil })
}

// create returns a person's account, which may be inactive, and what account.Service.Settle has to do if it is new.
func (s *Service) create(ctx context.Context, tx *store.Tx, wanted Details) (u user.User, left int64, err error) {
	if err := tx.LockAccounts(ctx); err != nil {
		return u, 0, err
	}
	if err := tx.LockInvitations(ctx); err != nil {
		return u, 0, err
	}
	u, err = user.ByRealEmail(ctx, tx, wanted.Email)
	made := errors.Is(err, user.ErrNoSuchUser)
	if err != nil && !made {
		return u, 0, err
	}
	if err := free(ctx, tx, wanted.UserName, u.ID); err != nil {
		return u, 0, err
	}
	if made {
		u, left, err = s.join(ctx, tx, wanted)
	} else {
		err = removed(ctx, tx, u.ID)
	}
	if err != nil {
		return u, 0, err
	}
	return u, left, save(ctx, tx, u.ID, wanted)
}

// join creates an account for a person who has none, with the role in their invitation.
func (s *Service) join(ctx context.Context, tx *store.Tx, wanted Details) (u user.User, left int64, err error) {
	o, err := s.Orgs.Load(ctx, tx)
	if err != nil {
		return u, 0, err
	}
	return s.Accounts.Enter(ctx, tx, o, user.Draft{RealEmail: wanted.Email, FullName: wanted.FullName})
}

// removed fails with [ErrTaken] unless the provider has deleted the account.
func removed(ctx context.Context, tx *store.Tx, number id.User) error {
	deleted, err := tx.IsScimRemoved(ctx, number)
	if err == nil && !deleted {
		err = ErrTaken
	}
	return err
}

// free fails with [ErrTaken] if the provider uses the name for an account other than but.
func free(ctx context.Context, tx *store.Tx, name string, but id.User) error {
	taken, err := tx.ScimNameTaken(ctx, name, int64(but))
	if err == nil && taken {
		err = ErrTaken
	}
	return err
}

func save(ctx context.Context, tx *store.Tx, number id.User, d Details) error {
	return tx.SaveScimUser(ctx, number, d.UserName, d.ExternalID)
}

// Change changes a person's details to the result of wanted for the current ones. It fails with the errors of wanted,
// with [ErrNoPerson], [ErrTaken], [ErrFixedEmail], [ErrEmail], [ErrUserName], the errors of account.CheckAddress, the
// errors of names, or with [account.ErrOnlyOwnerEnd].
func (s *Service) Change(ctx context.Context, in id.Org, number id.User, wanted func(Details) (Details, error)) (Person, error) {
	who, before, after := actor.Actor{}, Person{}, Details{}
	err := s.DB.Write(ctx, in, func(tx *store.Tx) error {
		err := tx.LockAccounts(ctx)
		if err == nil {
			who, err = s.server(ctx, tx)
		}
		if err == nil {
			before, err = one(ctx, tx, number)
		}
		if err == nil {
			after, err = wanted(before.Details)
		}
		if err == nil {
			after, err = after.clean()
		}
		if err == nil {
			err = free(ctx, tx, after.UserName, number)
		}
		if err == nil && !strings.EqualFold(after.Email, before.Email) {
			err = s.readdress(ctx, tx, number, after.Email)
		}
		if err != nil {
			return err
		}
		return save(ctx, tx, number, after)
	})
	if store.IsDuplicate(err) {
		err = ErrTaken // by a concurrent transaction
	}
	if err != nil {
		return Person{}, err
	}
	if err := s.apply(ctx, who, number, before.Details, after); err != nil {
		return Person{}, err
	}
	return s.Person(ctx, in, number)
}

// readdress changes an account's address. It refuses to change that of an owner, because the new address could be
// used to sign in as the owner.
func (s *Service) readdress(ctx context.Context, tx *store.Tx, number id.User, email string) error {
	o, err := s.Orgs.Load(ctx, tx)
	if err != nil {
		return err
	}
	of, err := user.ByID(ctx, tx, number)
	switch {
	case err != nil:
		return err
	case of.Role == actor.Owner:
		return ErrFixedEmail
	}
	err = s.Accounts.SetAddress(ctx, tx, o, of, email)
	if errors.Is(err, account.ErrAddressTaken) || errors.Is(err, account.ErrAddressDeactivated) || errors.Is(err, account.ErrAddressReserved) {
		err = ErrTaken
	}
	return err
}

// apply changes those details of an account that differ.
func (s *Service) apply(ctx context.Context, who actor.Actor, number id.User, before, after Details) error {
	if after.FullName != before.FullName {
		if err := s.Accounts.Change(ctx, who, number, account.Change{FullName: &after.FullName}); err != nil {
			return err
		}
	}
	switch {
	case after.Active && !before.Active:
		return s.Accounts.Reactivate(ctx, who, number)
	case !after.Active && before.Active:
		err := s.Accounts.Deactivate(ctx, who, number)
		if errors.Is(err, subscription.ErrUserDeactivated) { // by a concurrent call
			return nil
		}
		return err
	}
	return nil
}

// Remove deactivates a person's account, and unlinks it from people at identity providers. The provider doesn't manage it anymore. It fails with [ErrNoPerson] or
// [account.ErrOnlyOwnerEnd].
func (s *Service) Remove(ctx context.Context, in id.Org, number id.User) error {
	p, err := s.Change(ctx, in, number, func(d Details) (Details, error) {
		d.Active = false
		return d, nil
	})
	if err != nil {
		return err
	}
	return s.DB.Write(ctx, in, func(tx *store.Tx) error {
		if err := tx.LockAccounts(ctx); err != nil {
			return err
		}
		if _, err := tx.UnlinkIdentities(ctx, number); err != nil { // whoever comes back is a new person for the provider
			return err
		}
		return tx.RemoveScimUser(ctx, number, p.UserName)
	})
}

// actor calls server in its own transaction.
func (s *Service) actor(ctx context.Context, in id.Org) (actor.Actor, error) {
	return store.Read(ctx, s.DB, in, func(tx *store.Tx) (actor.Actor, error) { return s.server(ctx, tx) })
}

// server returns the organization's notification bot as an actor with the permissions of an owner.
func (s *Service) server(ctx context.Context, tx *store.Tx) (actor.Actor, error) {
	o, err := s.Orgs.Load(ctx, tx)
	if err != nil {
		return actor.Actor{}, err
	}
	bot, err := user.NotificationBot(ctx, tx)
	if err != nil {
		return actor.Actor{}, err
	}
	bot.Role = actor.Owner
	return bot.Actor(o, nil), nil
}
