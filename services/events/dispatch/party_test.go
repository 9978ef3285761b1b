package dispatch_test

import (
	"fmt"
	"math/rand/v2"
	"time"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/store"
)

// party is an organization of the tests' shard, with a queue for each of its accounts.
type party struct {
	*world
	org     id.Org
	queues  []string
	members []bool // who is subscribed to boilers
	want    [][]int
}

// party creates the organization number i of the shard.
func (w *world) party(i, accounts int) *party {
	w.t.Helper()
	p := &party{world: w, org: org + id.Org(i*w.db.Shards()), members: make([]bool, accounts), want: make([][]int, accounts)}
	w.super.Exec(`insert into users (org_id, user_id, email, full_name, role, active) select $1, n, n || '@x', n || '', 400, true from generate_series(1, $2::int) n`,
		int64(p.org), accounts)
	for account := range accounts {
		p.queues = append(p.queues, p.register(account))
	}
	return p
}

func (p *party) register(account int) string {
	name := queue.NewID(shard)
	p.must(p.redis.Register(p.t.Context(), shard, name, queue.Descriptor{Org: p.org, User: id.User(account + 1), Lifetime: 600}, queue.Quota{}))
	return name
}

// emit records a number of events for all accounts in one transaction.
func (p *party) emit(events int) { p.emitTo(len(p.queues), events, event.Audience{Everyone: true}) }

// emitToOne records a number of events only for the first account.
func (p *party) emitToOne(events int) { p.emitTo(1, events, event.Audience{Users: []id.User{1}}) }

func (p *party) emitTo(accounts, events int, audience event.Audience) {
	p.t.Helper()
	list := make([]event.Event, events)
	for i := range list {
		p.sent++
		list[i] = note{N: p.sent, audience: audience}
		for account := range accounts {
			p.want[account] = append(p.want[account], p.sent)
		}
	}
	p.record(list...)
}

func (p *party) record(list ...event.Event) {
	p.t.Helper()
	p.must(p.db.Write(p.t.Context(), p.org, func(tx *store.Tx) error { return tx.Emit(p.t.Context(), list...) }))
}

// mix records some random events: for one account, for everyone or for the subscribers of a stream. Some of them change
// the subscribers.
func (p *party) mix(events int) {
	p.t.Helper()
	list := make([]event.Event, events)
	for i := range list {
		p.sent++
		n, account := note{N: p.sent}, rand.IntN(len(p.queues))
		user := id.User(account + 1)
		receives := func(other int) bool { return p.members[other] }
		switch rand.IntN(4) {
		case 0:
			n.audience.Users = []id.User{user}
			receives = func(other int) bool { return other == account }
		case 1:
			n.audience.Everyone = true
			receives = func(int) bool { return true }
		case 2:
			n.audience.Subscribers = boilers
			who := []event.Membership{{Stream: boilers, User: user}}
			if n.change = (&event.Change{Subscribed: who}); p.members[account] {
				n.change = &event.Change{Unsubscribed: who}
			}
			p.super.Exec(`insert into subscriptions (org_id, stream_id, user_id, color, active) values ($1, $2, $3, '#000000', $4)
				on conflict (org_id, stream_id, user_id) do update set active = excluded.active`, int64(p.org), int64(boilers), int64(user), !p.members[account])
		default:
			n.audience.Subscribers = boilers
		}
		for other := range p.want {
			if receives(other) {
				p.want[other] = append(p.want[other], p.sent)
			}
		}
		if n.change != nil {
			p.members[account] = !p.members[account]
		}
		list[i] = n
	}
	p.record(list...)
}

// checkDelivered fails the test unless the queues of some accounts have each event once, in order.
func (p *party) checkDelivered(title string, accounts ...int) {
	p.t.Helper()
	if len(accounts) == 0 {
		for account := range p.queues {
			accounts = append(accounts, account)
		}
	}
	for _, account := range accounts {
		p.has(fmt.Sprintf("%s, organization %d, account %d", title, p.org, account), p.queues[account], p.want[account]...)
		if p.t.Failed() {
			return
		}
	}
}

func (w *world) cursor() queue.Cursor {
	cursor, _, err := w.redis.Cursor(w.t.Context(), shard)
	w.must(err)
	return cursor
}

func (w *world) length(name string) int64 {
	lengths, err := w.redis.Lengths(w.t.Context(), shard, []string{name})
	w.must(err)
	return lengths[0]
}

// after calls a function after each call that moves the cursor.
func (w *world) after(do func(call int64)) {
	w.client.AddHook(&hook{onDispatch: onDispatch{after: do}})
}

// last waits until the complete log can be read, and returns its end.
func (w *world) last() store.Position {
	w.t.Helper()
	last := store.Position{}
	for start := time.Now(); ; time.Sleep(2 * time.Millisecond) {
		if _, _, held := w.settled(&last); !held {
			return last
		}
		if time.Since(start) > time.Minute {
			w.t.Fatal("the log is held back")
		}
	}
}
