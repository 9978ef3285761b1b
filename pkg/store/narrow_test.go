package store_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
)

func storetestOne[T any](w *world, sql string, args ...any) T {
	w.t.Helper()
	values := storetest.Values[T](w.session, sql, args...)
	if len(values) != 1 {
		w.t.Fatalf("%s: %d rows", sql, len(values))
	}
	return values[0]
}

// condition draws a condition.
func (b *mailbox) condition(random *rand.Rand) store.Condition {
	at, person := b.places[random.IntN(len(b.places))], b.people[random.IntN(len(b.people))]
	switch random.IntN(16) {
	case 0, 1:
		return store.InStream{Stream: id.Stream(at.id)}
	case 2:
		return store.InPublicStreams{}
	case 3, 4:
		return store.InTopic{Topic: []string{"dry", "WET", "", "none"}[random.IntN(4)]}
	case 5:
		return store.SentBy{Sender: person}
	case 6:
		if at.stream || !slices.Contains(at.members, b.reader) {
			return store.InConversation{}
		}
		return store.InConversation{Conversation: id.Conversation(at.id)}
	case 7:
		return store.InGroupWith{User: person}
	case 8:
		return store.IsPrivate{}
	case 9:
		return store.HasFlags{Flags: []event.Flags{event.Starred, event.HasAlertWord}[random.IntN(2)]}
	case 10:
		return store.IsMentioned{}
	case 11:
		return store.IsUnread{}
	case 12:
		return store.HasAttributes{Attributes: 1 << random.IntN(5)}
	case 13:
		return store.InHome{TopicsOnly: random.IntN(2) == 0}
	case 14:
		among := []id.Message{-1, 0, 1 << 62}
		for range random.IntN(100) {
			among = append(among, b.messages[random.IntN(len(b.messages))].id)
		}
		return store.Among{Messages: among}
	default:
		word, other := vocabulary[random.IntN(len(vocabulary))], vocabulary[random.IntN(len(vocabulary))]
		if random.IntN(2) == 0 {
			return store.HasWords{Words: `"` + word + " " + other + `"`, Literally: []string{word + " " + other}}
		}
		return store.HasWords{Words: word}
	}
}

// narrow draws a narrow, with history if that is possible.
func (b *mailbox) narrow(random *rand.Rand) store.Narrow {
	n := store.Narrow{Reader: b.reader}
	open, personal := false, false
	for range random.IntN(4) {
		term := store.NarrowTerm{Condition: b.condition(random), Negated: random.IntN(5) == 0}
		switch term.Condition.(type) {
		case store.InStream, store.InPublicStreams:
			open = open || !term.Negated
		case store.IsPrivate, store.HasFlags, store.IsMentioned, store.IsUnread:
			personal = true
		}
		n.Terms = append(n.Terms, term)
	}
	n.History = open && !personal && random.IntN(2) == 0
	return n
}

func (b *mailbox) part(random *rand.Rand) store.MessageRange {
	r := store.MessageRange{First: 0, Last: 10_000_000_000_000_000, Newest: random.IntN(2) == 0, Limit: 1 + random.IntN(60)}
	if random.IntN(2) == 0 {
		r.First = b.messages[random.IntN(len(b.messages))].id
	}
	if random.IntN(2) == 0 {
		r.Last = b.messages[random.IntN(len(b.messages))].id
	}
	return r
}

// For each narrow, the statement returns the same messages and flags as a check of each message.
func TestNarrowModel(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	boxes, narrows := 4, 150
	switch {
	case testing.Short():
		boxes, narrows = 1, 60
	case testbed.Long():
		boxes, narrows = 24, 300
	}
	for seed := range boxes {
		random := rand.New(rand.NewPCG(uint64(seed), 7))
		b := w.newMailbox(random)
		err := w.db.Read(t.Context(), b.org, func(tx *store.Tx) error {
			for range narrows {
				n, r := b.narrow(random), b.part(random)
				got, _, err := tx.Messages(t.Context(), n, r)
				if err != nil {
					return fmt.Errorf("%#v in %+v: %w", n, r, err)
				}
				type result struct {
					ID    id.Message
					Flags []string
				}
				want, have := []result{}, []result{}
				for _, m := range b.find(n, r) {
					want = append(want, result{m.id, b.seen(m).Names()})
				}
				for _, m := range got {
					have = append(have, result{m.ID, m.Flags.Names()})
				}
				if diff := cmp.Diff(want, have); diff != "" {
					return fmt.Errorf("seed %d: %#v in %+v (-want +got):\n%s", seed, n, r, diff)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Several ranges are one statement, and reading only ids finds the same messages.
func TestNarrowRanges(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	random := rand.New(rand.NewPCG(1, 1))
	b := w.newMailbox(random)
	middle := b.messages[len(b.messages)/2].id
	before := store.MessageRange{Last: middle - 1, Newest: true, Limit: 30}
	after := store.MessageRange{First: middle, Last: 1 << 60, Limit: 30}
	err := w.db.Read(t.Context(), b.org, func(tx *store.Tx) error {
		for range 50 {
			n := b.narrow(random)
			want := []id.Message{}
			for _, m := range append(b.find(n, before), b.find(n, after)...) {
				want = append(want, m.id)
			}
			got, err := tx.MessageIDs(t.Context(), n, before, after)
			if diff := cmp.Diff(want, append([]id.Message{}, got...)); err != nil || diff != "" {
				return fmt.Errorf("%#v: %w\n%s", n, err, diff)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A search with few hits that match the rest of the narrow continues without a gap.
func TestNarrowSearchContinues(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	org := w.org()
	reader := w.users(org, 1)[0]
	stream := w.streams(org, "hall")[0]
	w.session.Exec(storetest.InsertMessages(`select $1::bigint as org_id, n as message_id, $2::bigint as sender_id, $3::bigint as stream_id,
		'a valve' as content, case when n % 100 in (0, 1, 50, 99) then 4 else 0 end as flags from generate_series(1, 1000) n`), org, reader, stream)
	n := store.Narrow{Reader: reader, History: true, Terms: []store.NarrowTerm{
		{Condition: store.InStream{Stream: stream}}, {Condition: store.HasWords{Words: "valves"}}, {Condition: store.HasAttributes{Attributes: 4}},
	}}
	want := []id.Message{}
	for m := range id.Message(1001) {
		if m > 0 && slices.Contains([]id.Message{0, 1, 50, 99}, m%100) {
			want = append(want, m)
		}
	}
	for _, limit := range []int{5, 20, 39, 100} {
		err := w.db.Read(t.Context(), org, func(tx *store.Tx) error {
			newest, err := tx.MessageIDs(t.Context(), n, store.MessageRange{Last: 1000, Newest: true, Limit: limit})
			if err != nil {
				return err
			}
			oldest, err := tx.MessageIDs(t.Context(), n, store.MessageRange{Last: 1000, Limit: limit})
			if diff := cmp.Diff(want[max(0, len(want)-limit):], newest); diff != "" {
				t.Errorf("newest %d (-want +got):\n%s", limit, diff)
			}
			if diff := cmp.Diff(want[:min(len(want), limit)], oldest); diff != "" {
				t.Errorf("oldest %d (-want +got):\n%s", limit, diff)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
