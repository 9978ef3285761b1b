package subscription_test

import (
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/pkg/user"
)

// roster contains all subscriptions.
type roster map[event.Membership]bool

// apply applies a change, and fails if it has no effect.
func (r roster) apply(subscribed, unsubscribed []event.Membership) error {
	for _, m := range unsubscribed {
		if !r[m] {
			return fmt.Errorf("%+v ends, but wasn't there", m)
		}
		delete(r, m)
	}
	for _, m := range subscribed {
		if r[m] {
			return fmt.Errorf("%+v begins, but was there", m)
		}
		r[m] = true
	}
	return nil
}

// TestChangesAreExact compares the event log with the table: after any actions, the changes in the log lead from
// nothing to the table, and back.
func TestChangesAreExact(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	base := newWorld(t, nil)
	organizations := atomic.Int64{}
	rapid.Check(t, func(rt *rapid.T) {
		w := *base
		w.org = base.newOrg(t, fmt.Sprintf("org%d", organizations.Add(1)), func(s *org.Settings) { s.NotificationsStreamID = org.NoStream })
		w.users = map[string]user.User{}
		w.join(t, "admin", actor.Administrator, actor.Human)
		w.join(t, "ann", actor.Member, actor.Human)
		w.join(t, "guest", actor.Guest, actor.Human)
		w.join(t, "robot", actor.Member, actor.GenericBot)
		everyone := slices.Sorted(maps.Keys(w.users))

		for range rapid.IntRange(1, 12).Draw(rt, "steps") {
			who := rapid.SampledFrom(everyone).Draw(rt, "who")
			whom := rapid.SliceOfN(rapid.SampledFrom(everyone), 0, 4).Draw(rt, "whom")
			names := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "A", "b", "c", "d"}), 1, 4).Draw(rt, "names")
			if err := w.step(t, rapid.IntRange(0, 9).Draw(rt, "action"), who, whom, names); err != nil && fault.Of(err) == nil {
				rt.Fatal(err)
			}
		}
		w.check(rt)
	})
}

// step performs an action. Most actions may be refused.
func (w *world) step(t *testing.T, action int, who string, whom, names []string) error {
	t.Helper()
	switch {
	case action < 5:
		r := w.with(wanted(names...), whom...)
		r.New.InviteOnly, r.LeaveOut = action%2 == 0, true
		_, err := w.service.Subscribe(t.Context(), w.actor(who), r)
		return err
	case action < 9:
		_, err := w.service.Unsubscribe(t.Context(), w.actor(who), names, w.principals(whom...))
		return err
	default:
		found, err := w.service.List(t.Context(), w.actor(who), false)
		if err != nil || len(found) == 0 {
			return err
		}
		return w.streams.Deactivate(t.Context(), w.actor("admin"), found[0].ID)
	}
}

func (w *world) check(rt *rapid.T) {
	read, err := w.db.Log().Roster(rt.Context(), w.org.ID, store.Position{})
	if err != nil {
		rt.Fatal(err)
	}
	table := roster{}
	for _, m := range read.Subscriptions {
		table[m] = true
	}
	replayed := roster{}
	for _, change := range slices.Backward(read.Undo) {
		if err := replayed.apply(change.Subscribed, change.Unsubscribed); err != nil {
			rt.Fatalf("replay: %v", err)
		}
	}
	if !maps.Equal(replayed, table) {
		rt.Fatalf("the log leads to %v, the table has %v", replayed, table)
	}
	for _, change := range read.Undo {
		if err := table.apply(change.Unsubscribed, change.Subscribed); err != nil {
			rt.Fatalf("undo: %v", err)
		}
	}
	if len(table) > 0 {
		rt.Fatalf("undoing everything leaves %v", table)
	}
}
