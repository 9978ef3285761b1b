package user

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
)

// SetRealEmail changes the address that a person signs in with, and reports it to them, to those who may know it, and, where it
// is the address that others see, to everybody (events.md, section 3.12). The error satisfies store.IsDuplicate where
// another account has the address.
func SetRealEmail(ctx context.Context, tx *store.Tx, o org.Org, u User, email string) error {
	if err := tx.SetEmail(ctx, email, u.ID); err != nil {
		return err
	}
	events := []event.Event{event.RealmUserUpdate{
		Person: event.ChangedAccount{UserID: u.ID, DeliveryEmail: email},
		To:     event.Audience{Users: []id.User{u.ID}, Admins: seesRealAddresses(o, actor.Administrator)},
	}}
	if o.Settings.EmailAddressVisibility == org.EmailsForEveryone {
		events = append(events, toAll(event.ChangedAccount{UserID: u.ID, NewEmail: email}))
	}
	return tx.Emit(ctx, events...)
}
