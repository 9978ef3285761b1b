package admin

import (
	"context"
	"errors"
	"slices"
	"strings"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/group"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
)

// ErrNoGroups is returned if user groups of a person don't exist.
var ErrNoGroups = fault.Bad("User group(s) (%s) do not exist.")

// ensureMemberships adds a person to the user groups with the wanted names, and removes them from other groups that the caller added
// them to before. It doesn't change other memberships. It stores the groups before it adds the person, so that it can remove them
// later.
func (s *Service) ensureMemberships(ctx context.Context, who actor.Actor, key string, u *ensuredUser, wanted []string) error {
	groups, before := []sqlc.UserGroup(nil), []id.Group(nil)
	err := s.DB.Read(ctx, who.Org(), func(tx *store.Tx) (err error) {
		if groups, err = tx.UserGroupsByName(ctx, wanted); err != nil {
			return err
		}
		current, err := tx.UserGroupsOf(ctx, int64(u.ID))
		before = numbers(current)
		return err
	})
	if err != nil {
		return err
	}
	found := names(groups)
	if missing := slices.DeleteFunc(slices.Clone(wanted), func(name string) bool { return slices.Contains(found, name) }); len(missing) > 0 {
		return ErrNoGroups.Format(strings.Join(missing, ", "))
	}
	in := numbers(groups)
	own := u.details.Groups
	if more := without(in, own); len(more) > 0 {
		u.details.Groups = slices.Concat(own, more)
		if err := s.saveUser(ctx, who.Org(), key, *u); err != nil {
			return err
		}
	}
	join, leave := without(in, before), without(own, in)
	leave = slices.DeleteFunc(leave, func(number id.Group) bool { return !slices.Contains(before, number) })
	for _, number := range join {
		if err := s.UserGroups.ChangeMembers(ctx, who, number, []id.User{u.ID}, nil); err != nil && !errors.Is(err, group.ErrThere) {
			return err
		}
	}
	for _, number := range leave {
		err := s.UserGroups.ChangeMembers(ctx, who, number, nil, []id.User{u.ID})
		if err != nil && !errors.Is(err, group.ErrNotThere) && !errors.Is(err, group.ErrInvalid) { // already removed by others
			return err
		}
	}
	if len(join)+len(leave) > 0 {
		u.changed = append(u.changed, "groups")
	}
	if len(without(own, in)) == 0 {
		return nil
	}
	u.details.Groups = in
	return s.saveUser(ctx, who.Org(), key, *u)
}

func names(groups []sqlc.UserGroup) []string {
	return lists.Map(groups, func(g sqlc.UserGroup) string { return g.Name })
}

func numbers(groups []sqlc.UserGroup) []id.Group {
	return lists.Map(groups, func(g sqlc.UserGroup) id.Group { return g.GroupID })
}

// without returns the groups that aren't among others.
func without(groups, others []id.Group) []id.Group {
	return slices.DeleteFunc(slices.Clone(groups), func(number id.Group) bool { return slices.Contains(others, number) })
}
