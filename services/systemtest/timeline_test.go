package systemtest_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/store"
)

// lookPeriod is the interval at which a timeline samples the servers.
const lookPeriod = 200 * time.Millisecond

// timeline records the state of a shard's dispatch during a test, to explain late messages.
type timeline struct {
	mutex   sync.Mutex
	moments []moment
	acts    []act
}

// moment is a sample of the servers' state.
type moment struct {
	at       time.Time
	cursor   store.Position // the shard's position in the log; zero: Redis didn't answer
	leader   string         // the replica with the shard's lease; empty: none
	replicas int            // number of replicas that count as alive
	horizon  uint64         // the oldest open transaction; 0: PostgreSQL didn't answer
}

// act is an action of the test.
type act struct {
	what       string
	began, end time.Time
}

// did records an action of the test, which ends when the returned function is called.
func (l *timeline) did(what string) (done func()) {
	start := time.Now()
	return func() {
		l.mutex.Lock()
		defer l.mutex.Unlock()
		l.acts = append(l.acts, act{what, start, time.Now()})
	}
}

// look samples the servers until ctx ends. It doesn't use the wires.
func (l *timeline) look(ctx context.Context, t *testing.T, s *System, shard int) {
	t.Helper()
	client, err := queue.Connect(s.queue)
	if err != nil {
		t.Error(err)
		return
	}
	defer client.Close()
	db := (*pgx.Conn)(nil)
	for {
		now := moment{at: time.Now()}
		asking, cancel := context.WithTimeout(ctx, lookPeriod)
		key := "{s" + strconv.Itoa(shard) + "}"
		if cursor, ok, err := queue.New(client).Cursor(asking, shard); ok && err == nil {
			now.cursor = cursor.Position
		}
		now.leader = client.Get(asking, key+":lease").Val()
		now.replicas = int(client.ZCard(asking, "replicas").Val())
		if db == nil {
			db, _ = pgx.Connect(asking, s.DatabaseURL())
		}
		if db != nil && db.QueryRow(asking, "select pg_snapshot_xmin(pg_current_snapshot())::text::bigint").Scan(&now.horizon) != nil {
			_ = db.Close(asking)
			db = nil
		}
		cancel()
		l.mutex.Lock()
		l.moments = append(l.moments, now)
		l.mutex.Unlock()
		if !pause(ctx, lookPeriod) {
			break
		}
	}
	if db != nil {
		_ = db.Close(context.WithoutCancel(ctx))
	}
}

// lateness is a message that arrived late.
type lateness struct {
	message                    int64
	confirmed, polled, arrived time.Time // polled: the beginning of the poll with the message
}

func (l lateness) late() time.Duration { return l.arrived.Sub(l.confirmed) }

// explain describes where a late message, at a position in the log, was delayed.
func (l *timeline) explain(m lateness, at store.Position) string {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	text := &strings.Builder{}
	after := func(when time.Time) string {
		if when.IsZero() {
			return "never seen"
		}
		return fmt.Sprintf("%+.1f s", when.Sub(m.confirmed).Seconds())
	}
	settled, dispatched := time.Time{}, time.Time{}
	for _, now := range l.moments {
		if settled.IsZero() && now.horizon > at.Xid {
			settled = now.at
		}
		if dispatched.IsZero() && (now.cursor.Xid > at.Xid || now.cursor.Xid == at.Xid && now.cursor.ID >= at.ID) {
			dispatched = now.at
		}
	}
	fmt.Fprintf(text, "message %d, event %d.%d, confirmed %s: no open transaction before it %s, dispatched %s; the poll that brought it began %s and ended %s",
		m.message, at.Xid, at.ID, m.confirmed.UTC().Format(time.TimeOnly), after(settled), after(dispatched), after(m.polled), after(m.arrived))
	before := moment{}
	for i, now := range l.moments {
		if now.at.Before(m.confirmed.Add(-time.Second)) || now.at.After(m.arrived) {
			continue
		}
		now.horizon, now.cursor.ID = min(now.horizon, 1), 0
		if i > 0 && now.leader == before.leader && now.replicas == before.replicas && now.horizon == before.horizon &&
			(now.cursor.Xid == before.cursor.Xid) {
			continue
		}
		before = now
		fmt.Fprintf(text, "\n  %s leader %q, %d replicas, cursor at %d, PostgreSQL answers: %v", after(now.at), now.leader, now.replicas, now.cursor.Xid, now.horizon > 0)
	}
	acts := slices.Clone(l.acts)
	slices.SortFunc(acts, func(a, b act) int { return a.began.Compare(b.began) })
	for _, a := range acts {
		if a.end.After(m.confirmed.Add(-10*time.Second)) && a.began.Before(m.arrived) {
			fmt.Fprintf(text, "\n  %s to %s: %s", after(a.began), after(a.end), a.what)
		}
	}
	return text.String()
}
