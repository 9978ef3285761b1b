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
		return store.HasAttribute{Bit: 1 << random.IntN(5)}
	case 13:
		return store.InHome{TopicsOnly: random.IntN(2) == 0}
	case 14:
		among := []id.Message{-1, 0, 1 << 62}
		for range random.IntN(100) {
			among = append(among, b.messages[random.IntN(len(b.messages))].id)
		}
		return store.HasID{Messages: among}
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
		{Condition: store.InStream{Stream: stream}}, {Condition: store.HasWords{Words: "valves"}}, {Condition: store.HasAttribute{Bit: 4}},
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

// A search finds the same messages wherever the words, the senders and the places of the reader are frequent, here among the
// first or the last of them, and however many places and flags the reader has.
func TestNarrowSearchUneven(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := newWorld(t)
	org, other := w.org(), w.org()
	people := w.users(org, 3)
	streams := w.streams(org, "hall", "yard", "roof")
	for o, messages := range map[id.Org]int{org: 12_000, other: 1000} {
		w.session.Exec(storetest.InsertMessages(`select $1::bigint as org_id, n as message_id, ($2::bigint[])[case when n > 11900 or n % 700 = 3 then 2 else 1 end] as sender_id,
			($3::bigint[])[case when n < 150 or n % 500 = 2 then 2 else 1 + n % 7 / 6 * 2 end] as stream_id,
			'valve' || case when n < 300 then ' rusty' else '' end || case when n > 11700 then ' gasket' else '' end as content
			from generate_series(1, $4::bigint) n`), o, people, streams, messages)
	}
	w.session.Exec(`insert into subscriptions (org_id, stream_id, user_id, color, received) values
		($1, $2, $3, '#fff', '{[1,)}'), ($1, $4, $5, '#fff', '{[1,)}'), ($1, $6, $5, '#fff', '{[100,200),[2000,2500)}')`,
		org, streams[1], people[1], streams[0], people[2], streams[2])
	w.session.Exec(`insert into message_flags (org_id, user_id, message_id, flags) select $1, $2, n, 2 from generate_series(1, 12000) n where n % 1000 in (7, 8)`, org, people[1])
	w.session.Exec(`insert into message_flags (org_id, user_id, message_id, flags) select $1, $2, n, 2 from generate_series(300, 1400) n`, org, people[2])
	term := func(conditions ...store.Condition) (terms []store.NarrowTerm) {
		for _, c := range conditions {
			terms = append(terms, store.NarrowTerm{Condition: c})
		}
		return terms
	}
	for _, c := range []struct {
		terms []store.NarrowTerm
		where string
	}{
		{term(store.HasWords{Words: "valves"}), "true"},
		{term(store.HasWords{Words: "rusty"}), "content ~ 'rusty'"},
		{term(store.HasWords{Words: "gasket"}), "content ~ 'gasket'"},
		{term(store.HasWords{Words: "rusty gasket"}), "false"},
		{term(store.SentBy{Sender: people[0]}), fmt.Sprint("sender_id = ", people[0])},
		{term(store.SentBy{Sender: people[1]}), fmt.Sprint("sender_id = ", people[1])},
		{term(store.SentBy{Sender: people[1]}, store.HasWords{Words: "valve"}), fmt.Sprint("sender_id = ", people[1])},
		{term(store.InStream{Stream: streams[1]}, store.HasWords{Words: "gasket"}), fmt.Sprint("content ~ 'gasket' and stream_id = ", streams[1])},
	} {
		for _, reader := range people {
			want := storetest.Values[id.Message](w.session, `select message_id from messages m where org_id = $1 and `+c.where+`
				and (exists (select from subscriptions s where s.user_id = $2 and s.stream_id = m.stream_id and s.received @> m.message_id)
					or exists (select from message_flags f where f.org_id = $1 and f.user_id = $2 and f.message_id = m.message_id))
				order by message_id`, org, reader)
			n := store.Narrow{Reader: reader, Terms: c.terms}
			for _, limit := range []int{1, 60, 5000} {
				part := min(limit, len(want))
				err := w.db.Read(t.Context(), org, func(tx *store.Tx) error {
					newest, err := tx.MessageIDs(t.Context(), n, store.MessageRange{Last: 1 << 60, Newest: true, Limit: limit})
					if err != nil {
						return err
					}
					oldest, err := tx.MessageIDs(t.Context(), n, store.MessageRange{Last: 1 << 60, Limit: limit})
					if !slices.Equal(newest, want[len(want)-part:]) || !slices.Equal(oldest, want[:part]) {
						t.Errorf("%s, reader %d: newest %d, oldest %d of %d", c.where, reader, newest, oldest, want)
					}
					return err
				})
				if err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}
