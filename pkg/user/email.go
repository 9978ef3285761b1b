package user

import (
	"context"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
)

// SetRealEmail changes the address that a person signs in with, and emits the events: to the person, to accounts that may
// see it and, if others see it as the person's address, to everybody (events.md, section 3.12). The error satisfies
// store.IsDuplicate if another account has the address.
func SetRealEmail(ctx context.Context, tx *store.Tx, o org.Org, u User, email string) error {
	if err := tx.SetEmail(ctx, email, u.ID); err != nil {
		return err
	}
	events := []event.Event{event.RealmUserUpdate{
		Person: event.ChangedAccount{UserID: u.ID, DeliveryEmail: email},
		To:     event.Audience{Users: []id.User{u.ID}, Admins: AdminsSeeMore(o)},
	}}
	if o.Settings.EmailAddressVisibility == org.EmailsForEveryone {
		events = append(events, toAll(event.ChangedAccount{UserID: u.ID, NewEmail: email}))
	}
	return tx.Emit(ctx, events...)
}
