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

// addresses is the rest of reporting addresses after it changed who sees real ones: accounts with ids greater than After.
type addresses struct {
	After id.User
	// RealOnly says that displayed addresses are the same as before.
	RealOnly bool
}

// hidden reports whether real addresses are hidden from other people.
func hidden(o org.Org) bool { return o.Settings.EmailAddressVisibility != org.EmailsForEveryone }

// affected returns which addresses are to be reported after a change of an organization. needed is false if none are.
func affected(before, after org.Org) (a addresses, needed bool) {
	if hidden(before) != hidden(after) {
		return addresses{}, true
	}
	return addresses{RealOnly: true}, !user.AdminsSeeMore(before) && user.AdminsSeeMore(after)
}

// showMore is a step that reports the current displayed addresses of people to everyone, and real addresses to
// administrators if only they see them (events.md, section 3.12). A registration has them of deactivated people, too.
func (s *Service) showMore(ctx context.Context, tx *store.Tx, left *addresses, pace *steps.Pace) (done bool, err error) {
	if err := tx.LockAccounts(ctx); err != nil { // so that addresses don't change meanwhile
		return false, err
	}
	o, err := s.Orgs.Load(ctx, tx)
	if err != nil {
		return false, err
	}
	rows := pace.Rows()
	if !left.RealOnly && user.AdminsSeeMore(o) {
		rows /= 2 // two events for each
	}
	some, err := user.After(ctx, tx, left.After, rows)
	if err != nil || len(some) == 0 {
		return true, err
	}
	left.After = some[len(some)-1].ID
	events := []event.Event(nil)
	for _, u := range some {
		if !u.IsBot() && !left.RealOnly {
			events = append(events, user.DisplayedAddress(o, u))
		}
		if user.AdminsSeeMore(o) {
			events = append(events, user.RealAddress(u))
		}
	}
	pace.Begin(len(events))
	return len(some) < rows, tx.Emit(ctx, events...)
}
