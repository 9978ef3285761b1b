package provision

import (
	"context"
	"errors"
	"slices"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/group"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/spelling"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
)

// Errors of groups, besides the faults of package group.
var (
	ErrNoGroup    = fault.New(fault.NotFound, fault.CodeNone, "There is no such group.")
	ErrGroupName  = fault.Plain("A group needs a displayName of 1 to 100 characters, without control characters.")
	ErrGroupTaken = fault.Plain("A group with this displayName already exists.")
	ErrMember     = fault.Plain("Members must be users of the organization.")
)

// GroupDetails are a provider's details of a group.
type GroupDetails struct {
	Name       string
	ExternalID *string   // the provider's id; nil: none
	Members    []id.User // only people
}

// Group is a user group.
type Group struct {
	GroupDetails
	ID id.Group
}

// GroupFilter selects groups; nil fields select all.
type GroupFilter struct {
	ID               *id.Group
	Name, ExternalID *string
	Member           *id.User
}

// Groups returns up to limit groups, by id, after skipping skip, and the total number.
func (s *Service) Groups(ctx context.Context, in id.Org, f GroupFilter, skip, limit int) (groups []Group, total int, err error) {
	err = s.DB.Read(ctx, in, func(tx *store.Tx) error {
		groups = nil // the transaction may be retried
		rows, err := tx.ScimGroups(ctx, sqlc.ScimGroupsParams{
			GroupID: (*int64)(f.ID), Name: f.Name, ExternalID: f.ExternalID, Member: (*int64)(f.Member),
			Skip: int32(skip), MaxRows: int32(limit), // the caller limits them
		})
		if err != nil {
			return err
		}
		all := []id.User(nil)
		for _, row := range rows {
			all = append(all, row.UserGroup.Members...)
		}
		people, err := people(ctx, tx, all)
		for _, row := range rows {
			total = int(row.Total)
			groups = append(groups, Group{GroupDetails{row.UserGroup.Name, row.UserGroup.ExternalID, among(row.UserGroup.Members, people)}, row.UserGroup.GroupID})
		}
		return err
	})
	return groups, total, err
}

// Group returns a group, or [ErrNoGroup].
func (s *Service) Group(ctx context.Context, in id.Org, number id.Group) (Group, error) {
	found, _, err := s.Groups(ctx, in, GroupFilter{ID: &number}, 0, 1)
	switch {
	case err != nil:
		return Group{}, err
	case len(found) == 0:
		return Group{}, ErrNoGroup
	}
	return found[0], nil
}

// people returns the accounts, of the given ones, that a provider manages.
func people(ctx context.Context, tx *store.Tx, accounts []id.User) (map[id.User]bool, error) {
	rows, err := tx.ScimPeople(ctx, id.Convert[int64](accounts))
	return lists.Set(rows), err
}

func among(accounts []id.User, seen map[id.User]bool) []id.User {
	return slices.DeleteFunc(slices.Clone(accounts), func(account id.User) bool { return !seen[account] })
}

func (d GroupDetails) clean() (GroupDetails, error) {
	d.Name = spelling.Clean(d.Name)
	if !group.ValidName(d.Name) {
		return GroupDetails{}, ErrGroupName
	}
	return d, checkName(d.ExternalID)
}

// CreateGroup creates a group. It fails with [ErrGroupName], [ErrUserName], [ErrGroupTaken], [ErrMember], or if there
// are too many groups or members.
func (s *Service) CreateGroup(ctx context.Context, in id.Org, wanted GroupDetails) (Group, error) {
	wanted, err := wanted.clean()
	if err != nil {
		return Group{}, err
	}
	who := actor.Actor{}
	err = s.DB.Read(ctx, in, func(tx *store.Tx) error {
		if who, err = s.server(ctx, tx); err != nil {
			return err
		}
		return onlyPeople(ctx, tx, wanted.Members)
	})
	if err != nil {
		return Group{}, err
	}
	number, err := s.UserGroups.Create(ctx, who, group.Draft{Name: wanted.Name, Members: wanted.Members, ExternalID: wanted.ExternalID})
	if err != nil {
		return Group{}, groupError(err)
	}
	return s.Group(ctx, in, number)
}

// ChangeGroup changes a group to the result of wanted for its current details. It keeps members that the provider
// doesn't manage: bots, and people whom it has deleted. It fails with the errors of wanted, with [ErrNoGroup], and
// with the errors of [Service.CreateGroup].
func (s *Service) ChangeGroup(ctx context.Context, in id.Org, number id.Group, wanted func(GroupDetails) (GroupDetails, error)) (Group, error) {
	who, err := s.actor(ctx, in)
	if err != nil {
		return Group{}, err
	}
	err = s.UserGroups.Replace(ctx, who, number, func(tx *store.Tx, current group.Draft) (group.Draft, error) {
		seen, err := people(ctx, tx, current.Members)
		if err != nil {
			return current, err
		}
		after, err := wanted(GroupDetails{current.Name, current.ExternalID, among(current.Members, seen)})
		if err == nil {
			after, err = after.clean()
		}
		if err == nil {
			err = onlyPeople(ctx, tx, after.Members)
		}
		unseen := slices.DeleteFunc(slices.Clone(current.Members), func(member id.User) bool { return seen[member] })
		current.Name, current.ExternalID, current.Members = after.Name, after.ExternalID, slices.Concat(after.Members, unseen)
		return current, err
	})
	if err != nil {
		return Group{}, groupError(err)
	}
	return s.Group(ctx, in, number)
}

// onlyPeople fails with [ErrMember] unless the provider manages all of the accounts.
func onlyPeople(ctx context.Context, tx *store.Tx, members []id.User) error {
	if len(members) > group.MaxMembers {
		return group.ErrManyMembers.Format(len(members), group.MaxMembers)
	}
	seen, err := people(ctx, tx, members)
	if err == nil && slices.ContainsFunc(members, func(member id.User) bool { return !seen[member] }) {
		err = ErrMember
	}
	return err
}

// RemoveGroup removes a group. It fails with [ErrNoGroup].
func (s *Service) RemoveGroup(ctx context.Context, in id.Org, number id.Group) error {
	who, err := s.actor(ctx, in)
	if err == nil {
		err = s.UserGroups.Remove(ctx, who, number)
	}
	return groupError(err)
}

// groupError converts an error of package group to one for providers.
func groupError(err error) error {
	switch {
	case errors.Is(err, group.ErrInvalid):
		return ErrNoGroup
	case errors.Is(err, group.ErrExists):
		return ErrGroupTaken
	}
	return err
}
