package group

import (
	"context"
	"slices"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
)

// Replace replaces a group with the draft that wanted returns for it. If it fails, nothing has changed. Events have only the members
// that were added or removed. Replace fails with the errors of wanted, [permit.ErrNotAdmin], [ErrInvalid], [ErrNotMember], [ErrBlank],
// [ErrExists], [ErrUser], [ErrManyMembers] or [ErrManyMemberships].
func (s *Service) Replace(ctx context.Context, who actor.Actor, group id.Group, wanted func(tx *store.Tx, current Draft) (Draft, error)) error {
	return s.change(ctx, who, group, func(tx *store.Tx, before sqlc.UserGroup) error {
		draft, err := wanted(tx, Draft{before.Name, before.Description, before.Members, before.ExternalID, before.ExternalKey})
		if err != nil {
			return err
		}
		after, events := before, []event.Event(nil)
		after.Description, after.ExternalID, after.ExternalKey = draft.Description, draft.ExternalID, draft.Key
		if draft.Name != before.Name {
			if err := free(ctx, tx, draft.Name); err != nil {
				return err
			}
			after.Name = draft.Name
			events = append(events, event.GroupUpdated{GroupID: group, Data: event.GroupData{Name: &after.Name}})
		}
		if draft.Description != before.Description {
			events = append(events, event.GroupUpdated{GroupID: group, Data: event.GroupData{Description: &after.Description}})
		}
		if after.Members, err = accounts(ctx, tx, draft.Members); err != nil {
			return err
		}
		added, removed := less(after.Members, before.Members), less(before.Members, after.Members)
		if len(added) > 0 {
			if err := room(ctx, tx, 0, len(added)-len(removed), len(after.Members)); err != nil {
				return err
			}
			events = append(events, event.GroupMembersAdded{GroupMembers: event.GroupMembers{GroupID: group, UserIDs: added}})
		}
		if len(removed) > 0 {
			events = append(events, event.GroupMembersRemoved{GroupMembers: event.GroupMembers{GroupID: group, UserIDs: removed}})
		}
		return keep(ctx, tx, after, events...)
	})
}

// less returns the members without others. The others are in ascending order.
func less(members, others []id.User) []id.User {
	return slices.DeleteFunc(slices.Clone(members), func(member id.User) bool {
		_, found := slices.BinarySearch(others, member)
		return found
	})
}

// keep stores a group and emits the events of the change, if any.
func keep(ctx context.Context, tx *store.Tx, row sqlc.UserGroup, events ...event.Event) error {
	err := tx.SaveUserGroup(ctx, sqlc.SaveUserGroupParams{
		GroupID: row.GroupID, Name: row.Name, Description: row.Description, Members: row.Members, ExternalID: row.ExternalID,
		ExternalKey: row.ExternalKey,
	})
	if err != nil || len(events) == 0 {
		return err
	}
	return tx.Emit(ctx, events...)
}
