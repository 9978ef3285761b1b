package policy

import (
	"context"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/steps"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/user"
)

// Numbers of people whose addresses one transaction reports.
const (
	minAddresses = 50
	maxAddresses = 1000
)

// addresses is the rest of reporting addresses after real addresses were hidden or shown: people with ids greater
// than After.
type addresses struct{ After id.User }

// hidden reports whether real addresses are hidden from other people.
func hidden(o org.Org) bool { return o.Settings.EmailAddressVisibility != org.EmailsForEveryone }

// showMore is a step that reports the current displayed addresses of people to everyone (events.md, section 3.12). A
// registration has them of deactivated people, too.
func (s *Service) showMore(ctx context.Context, tx *store.Tx, left *addresses, pace *steps.Pace) (done bool, err error) {
	if err := tx.LockAccounts(ctx); err != nil { // so that addresses don't change meanwhile
		return false, err
	}
	o, err := s.Orgs.Load(ctx, tx)
	if err != nil {
		return false, err
	}
	some, err := user.After(ctx, tx, left.After, pace.Rows())
	if err != nil || len(some) == 0 {
		return true, err
	}
	left.After = some[len(some)-1].ID
	events := []event.Event(nil)
	for _, u := range some {
		if !u.IsBot() {
			events = append(events, user.DisplayedAddress(o, u))
		}
	}
	pace.Begin(len(some))
	return len(some) < pace.Rows(), tx.Emit(ctx, events...)
}
