package group

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/spelling"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/user"
)

// Limits of an organization.
const (
	// MaxGroups is the maximum number of groups in an organization.
	MaxGroups = 500
	// MaxMembers is the maximum number of members in a group. A transaction that mentions the group may write a row for each.
	MaxMembers = 1000
	// MaxMemberships is the maximum number of members in all groups of an organization. An account counts in each of its groups.
	MaxMemberships = 50_000
)

// maxName is the maximum length of a group's name, in characters (rest-api.md, section 5.9).
const maxName = 100

// ValidName reports whether a group can have the name: 1 to 100 characters, none of them a control character, at least one of them
// visible, and no white space around them.
func ValidName(name string) bool {
	return !spelling.IsBlank(name) && utf8.ValidString(name) && utf8.RuneCountInString(name) <= maxName && strings.TrimSpace(name) == name &&
		!strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f })
}

// onlyAdmins is the value of Settings.UserGroupEditPolicy with which only administrators may change groups (rest-api.md, section 8.1).
const onlyAdmins = 2

// Faults (rest-api.md, section 5.9).
var (
	ErrInvalid     = fault.Bad("Invalid user group")
	ErrNotMember   = fault.Bad("Only group members and organization administrators can administer this group.")
	ErrUser        = fault.Bad("Invalid user ID: %d")
	ErrExists      = fault.Bad("User group '%s' already exists.")
	ErrNothing     = fault.Plain("No new data supplied")
	ErrNoMembers   = fault.Plain(`Nothing to do. Specify at least one of "add" or "delete".`)
	ErrThere       = fault.Bad("User %d is already a member of this group")
	ErrNotThere    = fault.Bad("There is no member '%d' in this user group")
	ErrBlank       = fault.Bad("name cannot be blank.")
	ErrManyGroups  = fault.Bad("There are too many user groups: the limit is %d.")
	ErrManyMembers = fault.Bad("Too many members: the group would have %d, the limit is %d.")
	// ErrManyMemberships says that all groups together would have too many members.
	ErrManyMemberships = fault.Bad("Too many members: all user groups together would have %d, the limit is %d.")
)

// Service lists and changes user groups. It is safe for concurrent use.
type Service struct {
	db   *store.DB
	orgs *org.Service
}

// New makes the service.
func New(db *store.DB, orgs *org.Service) *Service { return &Service{db: db, orgs: orgs} }

// List returns all groups of the transaction's organization by id.
func List(ctx context.Context, tx *store.Tx) ([]event.Group, error) {
	rows, err := tx.UserGroups(ctx)
	return lists.Map(rows, func(row sqlc.UserGroup) event.Group { return object(row) }), err
}

// List returns all groups of the caller's organization by id.
func (s *Service) List(ctx context.Context, who actor.Actor) ([]event.Group, error) {
	return store.Read(ctx, s.db, who.Org(), func(tx *store.Tx) ([]event.Group, error) { return List(ctx, tx) })
}

// object returns a group in the form for clients.
func object(row sqlc.UserGroup) event.Group {
	return event.Group{ID: row.GroupID, Name: row.Name, Description: row.Description, Members: row.Members}
}

// write runs a change of groups in a transaction if the caller may change groups. Guests and bots may not. It fails with
// [permit.ErrNotAdmin].
func (s *Service) write(ctx context.Context, who actor.Actor, work func(tx *store.Tx) error) error {
	return s.db.Write(ctx, who.Org(), func(tx *store.Tx) error {
		if err := tx.LockUserGroups(ctx); err != nil {
			return err
		}
		o, err := s.orgs.Load(ctx, tx)
		switch {
		case err != nil:
			return err
		case o.Settings.UserGroupEditPolicy == onlyAdmins && !who.Role.IsAdmin():
			return permit.ErrNotAdmin
		}
		return work(tx)
	})
}

// change changes a group that the caller may administer. It fails with [permit.ErrNotAdmin], [ErrInvalid] or [ErrNotMember].
func (s *Service) change(ctx context.Context, who actor.Actor, group id.Group, work func(tx *store.Tx, before sqlc.UserGroup) error) error {
	return s.write(ctx, who, func(tx *store.Tx) error {
		before, err := administered(ctx, tx, who, group)
		if err != nil {
			return err
		}
		return work(tx, before)
	})
}

// administered returns a group if the caller may administer it: as a member of it, or as an administrator.
func administered(ctx context.Context, tx *store.Tx, who actor.Actor, group id.Group) (sqlc.UserGroup, error) {
	row, err := tx.UserGroup(ctx, group)
	switch {
	case store.IsNotFound(err):
		return row, ErrInvalid
	case err != nil:
		return row, err
	case !who.Role.IsAdmin() && !slices.Contains(row.Members, who.User):
		return row, ErrNotMember
	}
	return row, nil
}

// Draft is a group to create.
type Draft struct {
	Name        string
	Description string
	Members     []id.User
	ExternalID  *string // an identity provider's id; nil: none
	Key         *string // the name that a program manages it by; nil: no program manages it
}

// Create creates a group. The caller isn't a member unless the draft includes them. It fails with [permit.ErrNotAdmin], [ErrUser],
// [ErrBlank], [ErrManyMembers], [ErrManyGroups], [ErrManyMemberships] or [ErrExists].
func (s *Service) Create(ctx context.Context, who actor.Actor, draft Draft) (made id.Group, err error) {
	err = s.write(ctx, who, func(tx *store.Tx) error {
		members, err := accounts(ctx, tx, draft.Members)
		if err != nil {
			return err
		}
		if draft.Name = spelling.Name(draft.Name); spelling.IsBlank(draft.Name) {
			return ErrBlank
		}
		if err := room(ctx, tx, 1, len(members), len(members)); err != nil {
			return err
		}
		row, err := tx.CreateUserGroup(ctx, sqlc.CreateUserGroupParams{
			Name: draft.Name, Description: draft.Description, Members: members, ExternalID: draft.ExternalID, ExternalKey: draft.Key,
		})
		if store.IsNotFound(err) {
			return ErrExists.Format(draft.Name)
		}
		if err != nil {
			return err
		}
		made = row.GroupID
		return tx.Emit(ctx, event.GroupAdded{Group: object(row)})
	})
	return made, err
}

// room fails if there would be too many groups or members. The arguments are the numbers of new groups, of new members in all groups,
// and of members in the changed group.
func room(ctx context.Context, tx *store.Tx, groups, more, members int) error {
	if members > MaxMembers {
		return ErrManyMembers.Format(members, MaxMembers)
	}
	sizes, err := tx.UserGroupSizes(ctx)
	switch together := int(sizes.Members) + more; {
	case err != nil:
		return err
	case int(sizes.Groups)+groups > MaxGroups:
		return ErrManyGroups.Format(MaxGroups)
	case together > MaxMemberships:
		return ErrManyMemberships.Format(together, MaxMemberships)
	}
	return nil
}

// accounts returns the accounts, sorted and without duplicates. They may be deactivated accounts and bots, but not the server's own
// accounts. It fails with [ErrUser] for the first account that doesn't exist, and with [ErrManyMembers].
func accounts(ctx context.Context, tx *store.Tx, named []id.User) ([]id.User, error) {
	sorted := append([]id.User{}, named...)
	slices.Sort(sorted)
	sorted = slices.Compact(sorted)
	if len(sorted) > MaxMembers {
		return nil, ErrManyMembers.Format(len(sorted), MaxMembers)
	}
	found, err := user.ByIDs(ctx, tx, sorted)
	if err != nil {
		return nil, err
	}
	known := lists.Index(found, func(u user.User) id.User { return u.ID })
	for _, number := range named {
		if u, ok := known[number]; !ok || u.System {
			return nil, ErrUser.Format(number)
		}
	}
	return sorted, nil
}
