package user

import (
	"context"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
)

// EmitAddresses reports the displayed addresses of people to everybody after a change of the organization, if
// the change hid real addresses or showed them (events.md, section 3.12). That is an event for each person.
func EmitAddresses(ctx context.Context, tx *store.Tx, before, after org.Org) error {
	hidden := func(o org.Org) bool { return o.Settings.EmailAddressVisibility != org.EmailsForEveryone }
	if hidden(before) == hidden(after) {
		return nil
	}
	users, err := All(ctx, tx)
	if err != nil {
		return err
	}
	for _, u := range users {
		if u.IsBot() || !u.Active {
			continue
		}
		if err := tx.Emit(ctx, toAll(event.ChangedAccount{UserID: u.ID, NewEmail: DisplayEmail(after, u)})); err != nil {
			return err
		}
	}
	return nil
}
