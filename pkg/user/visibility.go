package user

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
)

// After returns up to limit accounts with ids after the given one, in order, active or not.
func After(ctx context.Context, tx *store.Tx, after id.User, limit int) ([]User, error) {
	return readAll(tx.UsersAfter(ctx, int64(after), int32(limit)))
}

// AdminsSeeMore reports whether administrators see real addresses that are hidden from others.
func AdminsSeeMore(o org.Org) bool { return seesRealAddresses(o, actor.Administrator) }

// RealAddress returns the event with an account's real address, for administrators, where [AdminsSeeMore]. A
// registration has those of bots, too.
func RealAddress(u User) event.Event {
	return event.RealmUserUpdate{
		Person: event.ChangedAccount{UserID: u.ID, DeliveryEmail: u.RealEmail}, To: event.Audience{Admins: true},
	}
}

// DisplayedAddress returns the event with a person's address as others see it (events.md, section 3.12).
func DisplayedAddress(o org.Org, u User) event.Event {
	return toAll(event.ChangedAccount{UserID: u.ID, NewEmail: DisplayEmail(o, u)})
}
