package user

import (
	"context"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
)

// After returns up to limit accounts with ids after the given one, in order, active or not.
func After(ctx context.Context, tx *store.Tx, after id.User, limit int) ([]User, error) {
	return readAll(tx.UsersAfter(ctx, int64(after), int32(limit)))
}

// DisplayedAddress returns the event with a person's address as others see it (events.md, section 3.12).
func DisplayedAddress(o org.Org, u User) event.Event {
	return toAll(event.ChangedAccount{UserID: u.ID, NewEmail: DisplayEmail(o, u)})
}
