package subscription_test

import (
	"errors"
	"slices"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/stream"
	"chatserver.dev/pkg/subscription"
)

// TestFirstStreamsChangeMeanwhile changes a stream between the choice of a new account's streams and the account's
// subscription to it.
func TestFirstStreamsChangeMeanwhile(t *testing.T) {
	t.Parallel()
	changed := func(change stream.Change) func(*world, *store.Tx, id.Stream) error {
		return func(w *world, tx *store.Tx, beta id.Stream) error {
			return w.streams.ChangeIn(t.Context(), tx, w.actor("owner"), beta, change)
		}
	}
	for _, test := range []struct {
		name    string
		invited bool // by ann, who isn't subscribed, instead of to a default stream
		change  func(w *world, tx *store.Tx, beta id.Stream) error
		joined  []string
	}{
		{"default, renamed", false, changed(stream.Change{Name: new("gamma")}), []string{"gamma"}},
		{"invited, renamed", true, changed(stream.Change{Name: new("gamma")}), []string{"gamma"}},
		{"invited, private", true, changed(stream.Change{Private: new(true)}), nil},
		{"default, no longer", false, func(_ *world, tx *store.Tx, beta id.Stream) error {
			return errors.Join(tx.LockDefaultStreams(t.Context()), stream.SetDefault(t.Context(), tx, beta, false))
		}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.subscribe(t, "owner", wanted("beta"))
			beta, invited, inviter := w.row(t, "beta").StreamID, []id.Stream(nil), id.User(0)
			if test.invited {
				invited, inviter = []id.Stream{beta}, w.users["ann"].ID
			} else if err := w.streams.AddDefault(t.Context(), w.actor("owner"), beta); err != nil {
				t.Fatal(err)
			}
			w.join(t, "newcomer", actor.Member, actor.Human)
			done := make(chan error, 1)
			w.write(t, func(tx *store.Tx) error {
				if err := tx.LockSubscriptions(t.Context(), beta); err != nil {
					return err
				}
				go func() { done <- w.joinFirst(t, "newcomer", invited, inviter) }()
				w.sql.AwaitBlocked(1)
				return test.change(w, tx, beta)
			})
			if err := <-done; err != nil {
				t.Fatal(err)
			}
			own, every := w.streamsOf(t, "newcomer")
			if !slices.Equal(own, test.joined) {
				t.Errorf("the newcomer is subscribed to %q, want %q", own, test.joined)
			}
			if len(every) != 1 {
				t.Errorf("there are the streams %q, want one", every)
			}
		})
	}
}

// TestFirstStreams has an invitation with streams that don't exist anymore, and with more streams than one
// transaction handles.
func TestFirstStreams(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.subscribe(t, "ann", private(wanted("kept")))
	names := []string{"kept"}
	for i := range 45 {
		names = append(names, string(rune('a'+i/26))+string(rune('a'+i%26)))
	}
	w.subscribe(t, "ann", wanted(append([]string{"closed"}, names...)...))
	invited := []id.Stream(nil)
	for _, name := range append([]string{"closed"}, names...) {
		invited = append(invited, w.row(t, name).StreamID)
	}
	if err := w.streams.Deactivate(t.Context(), w.actor("owner"), invited[0]); err != nil {
		t.Fatal(err)
	}
	said := len(w.notices.said)
	w.join(t, "newcomer", actor.Member, actor.Human)
	for _, inviter := range []id.User{w.users["ann"].ID, 0} {
		if err := w.joinFirst(t, "newcomer", invited, inviter); err != nil {
			t.Fatal(err)
		}
	}
	own, _ := w.streamsOf(t, "newcomer")
	slices.Sort(own)
	slices.Sort(names)
	closed := "select count(*) from subscriptions where user_id = $1 and stream_id = $2"
	same(t, "subscriptions to the archived one", []int64{0}, storetest.Values[int64](w.sql, closed, w.users["newcomer"].ID, invited[0]))
	same(t, "streams", names, own)
	same(t, "notices", []string{}, w.notices.said[said:])
}

// joinFirst subscribes an account to its first streams.
func (w *world) joinFirst(t *testing.T, who string, invited []id.Stream, inviter id.User) error {
	t.Helper()
	left := subscription.FirstStreams{}
	err := w.db.Read(t.Context(), w.org.ID, func(tx *store.Tx) (err error) {
		left, err = subscription.FirstOf(t.Context(), tx, w.users[who].ID, invited, inviter)
		return err
	})
	for done := false; !done && err == nil; {
		err = w.db.Write(t.Context(), w.org.ID, func(tx *store.Tx) error {
			rest := left // a transaction may be retried
			if done, err = w.service.JoinFirst(t.Context(), tx, &rest); err == nil {
				left = rest
			}
			return err
		})
	}
	return err
}

// streamsOf returns the names of the streams that an account is subscribed to, and of all streams.
func (w *world) streamsOf(t *testing.T, who string) (own, every []string) {
	t.Helper()
	err := w.db.Read(t.Context(), w.org.ID, func(tx *store.Tx) error {
		rows, err := tx.SubscriptionsOf(t.Context(), w.users[who].ID, false)
		if err != nil {
			return err
		}
		for _, row := range rows {
			own = append(own, row.Stream.Name)
		}
		all, err := tx.ListStreams(t.Context(), sqlc.ListStreamsParams{Every: true})
		for _, row := range all {
			every = append(every, row.Name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return own, every
}
