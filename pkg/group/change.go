package group

import (
	"context"
	"slices"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/spelling"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
)

// Change is a change of a group.
type Change struct {
	Name        string  // empty: no change
	Description *string // nil: no change
}

// Change changes a group. It fails with [ErrNothing], [permit.ErrNotAdmin], [ErrInvalid], [ErrNotMember], [ErrBlank] or [ErrExists].
func (s *Service) Change(ctx context.Context, who actor.Actor, group id.Group, change Change) error {
	if change.Name == "" && change.Description == nil {
		return ErrNothing
	}
	return s.change(ctx, who, group, func(tx *store.Tx, before sqlc.UserGroup) error {
		after, events := before, []event.Event(nil)
		if name := spelling.Name(change.Name); change.Name != "" && name != before.Name {
			if err := free(ctx, tx, name); err != nil {
				return err
			}
			after.Name = name
			events = append(events, event.GroupUpdated{GroupID: group, Data: event.GroupData{Name: &after.Name}})
		}
		if change.Description != nil && *change.Description != before.Description {
			after.Description = *change.Description
			events = append(events, event.GroupUpdated{GroupID: group, Data: event.GroupData{Description: &after.Description}})
		}
		return save(ctx, tx, after, events...)
	})
}

// free fails if a name is blank or already taken.
func free(ctx context.Context, tx *store.Tx, name string) error {
	if spelling.IsBlank(name) {
		return ErrBlank
	}
	same, err := tx.UserGroupsByName(ctx, []string{name})
	if err == nil && len(same) > 0 {
		err = ErrExists.Format(name)
	}
	return err
}

// save stores a changed group, if there are events about the change.
func save(ctx context.Context, tx *store.Tx, row sqlc.UserGroup, events ...event.Event) error {
	if len(events) == 0 {
		return nil
	}
	return keep(ctx, tx, row, events...)
}

// Remove removes a group. It fails with [permit.ErrNotAdmin], [ErrInvalid] or [ErrNotMember].
func (s *Service) Remove(ctx context.Context, who actor.Actor, group id.Group) error {
	return s.change(ctx, who, group, func(tx *store.Tx, _ sqlc.UserGroup) error {
		if err := tx.DeleteUserGroup(ctx, group); err != nil {
			return err
		}
		return tx.Emit(ctx, event.GroupRemoved{GroupID: group})
	})
}

// ChangeMembers adds members to a group and then removes others. If it fails, nothing has changed. It checks for faults in this order:
// [ErrNoMembers], [permit.ErrNotAdmin]; for the added members [ErrUser], [ErrInvalid], [ErrNotMember], [ErrThere], [ErrManyMembers]
// and [ErrManyMemberships]; for the removed members [ErrUser], [ErrInvalid], [ErrNotMember] and [ErrNotThere].
func (s *Service) ChangeMembers(ctx context.Context, who actor.Actor, group id.Group, add, remove []id.User) error {
	if len(add)+len(remove) == 0 {
		return ErrNoMembers
	}
	return s.write(ctx, who, func(tx *store.Tx) error {
		events, row := []event.Event(nil), sqlc.UserGroup{}
		if len(add) > 0 {
			added, err := accounts(ctx, tx, add)
			if err != nil {
				return err
			}
			if row, err = administered(ctx, tx, who, group); err != nil {
				return err
			}
			if row.Members, err = with(ctx, tx, row.Members, added); err != nil {
				return err
			}
			events = append(events, event.GroupMembersAdded{GroupMembers: event.GroupMembers{GroupID: group, UserIDs: added}})
		}
		if len(remove) > 0 {
			removed, err := accounts(ctx, tx, remove)
			if err != nil {
				return err
			}
			if len(add) == 0 {
				if row, err = administered(ctx, tx, who, group); err != nil {
					return err
				}
			}
			if row.Members, err = without(row.Members, removed); err != nil {
				return err
			}
			events = append(events, event.GroupMembersRemoved{GroupMembers: event.GroupMembers{GroupID: group, UserIDs: removed}})
		}
		return save(ctx, tx, row, events...)
	})
}

// without returns members except for the removed ones.
func without(members, removed []id.User) ([]id.User, error) {
	for _, member := range removed {
		if !slices.Contains(members, member) {
			return nil, ErrNotThere.Format(member)
		}
	}
	return slices.DeleteFunc(members, func(member id.User) bool { return slices.Contains(removed, member) }), nil
}

// with returns members together with the added ones, ascending.
func with(ctx context.Context, tx *store.Tx, members, added []id.User) ([]id.User, error) {
	for _, member := range added {
		if slices.Contains(members, member) {
			return nil, ErrThere.Format(member)
		}
	}
	if err := room(ctx, tx, 0, len(added), len(members)+len(added)); err != nil {
		return nil, err
	}
	all := slices.Concat(members, added)
	slices.Sort(all)
	return all, nil
}
