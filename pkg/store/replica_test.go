package store_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"go.opentelemetry.io/otel/metric/noop"
	"pgregory.net/rapid"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/localserver"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
)

// replicated is a world whose server has a streaming replica behind a separate wire.
type replicated struct {
	*outage

	replica   *localserver.Postgres
	toReplica *testbed.Wire
	atReplica *storetest.Session
}

func newReplicated(t *testing.T) *replicated {
	t.Helper()
	options := localserver.Options{Settings: localserver.Replicated()}
	r := &replicated{outage: newOutage(t, options)}
	var err error
	if r.replica, err = localserver.StartReplica(t.Context(), r.server, options); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.replica.Stop(); err != nil {
			t.Error(err)
		}
	})
	r.toReplica = testbed.NewWire(t, filepath.Join(r.replica.SocketDir(), ".s.PGSQL.5432"))
	r.atReplica = storetest.Connect(t, r.replica.URL("postgres"))
	return r
}

// process is the database from the view of a process of the server.
type process struct {
	*store.DB
	*store.ReplicaWatch
}

func (r *replicated) process() *process {
	r.t.Helper()
	db, err := store.Open(r.t.Context(), store.Config{
		URL: r.url, ReplicaURL: "postgres://postgres@" + r.toReplica.Addr() + "/postgres?sslmode=disable", Logins: storetest.Logins(),
		Connections: 8, AnswerTimeout: 20 * time.Second, StatementTimeout: 30 * time.Second,
	}, r.waker)
	if err != nil {
		r.t.Fatal(err)
	}
	watch, err := store.NewReplicaWatch(db, noop.NewMeterProvider().Meter(""), time.Now, testbed.Logger(r.t))
	if err != nil {
		r.t.Fatal(err)
	}
	watch.LookEvery(50 * time.Millisecond)
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.t.Context()))
	running := sync.WaitGroup{}
	running.Go(func() { _ = watch.Run(ctx) })
	r.t.Cleanup(func() {
		cancel()
		running.Wait()
		db.Close()
	})
	return &process{db, watch}
}

// send stores a message from a process, and returns its id.
func (r *replicated) send(at *process, text string) id.Message {
	r.t.Helper()
	message, ok, err := at.Send(r.t.Context(), r.org, to(r.sender, r.stream, text))
	if err != nil || !ok {
		r.t.Fatalf("send: %v, %v", ok, err)
	}
	return message
}

// messages returns the messages that a process finds.
func (r *replicated) messages(at *process) []id.Message {
	r.t.Helper()
	found, narrow := []id.Message(nil), store.Narrow{Reader: r.sender, History: true, Terms: []store.NarrowTerm{{Condition: store.InStream{Stream: r.stream}}}}
	err := at.ReadReplica(r.t.Context(), r.org, func(tx *store.Tx) (err error) {
		found, err = tx.MessageIDs(r.t.Context(), narrow, store.MessageRange{First: 0, Last: math.MaxInt64, Limit: 10_000})
		return err
	})
	if err != nil {
		r.t.Errorf("read: %v", err)
	}
	return found
}

// takes waits until the replica serves reads.
func (r *replicated) takes(at *process) {
	r.t.Helper()
	before := at.Reads()["replica"]
	testbed.Until(r.t, "the replica takes a read", func() bool {
		r.messages(at)
		return at.Reads()["replica"] > before
	})
}

// sees fails the test if a process doesn't find a message.
func (r *replicated) sees(at *process, message id.Message) {
	r.t.Helper()
	if !slices.Contains(r.messages(at), message) {
		r.t.Errorf("message %d isn't found: %v", message, at.Reads())
	}
}

// A replica serves reads unless it lags, ends, stops responding during a read, or becomes another server. In these
// cases the primary serves them, and callers notice only the delay.
func TestReplica(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	r := newReplicated(t)
	a, b := r.process(), r.process()
	r.takes(a)
	r.takes(b)
	r.sees(a, r.send(b, "1"))
	r.sees(b, r.send(a, "2"))
	r.isHeldToTheOrganization(a)
	r.lags(a, b)
	r.fallsSilent(a)

	if err := r.replica.Kill(); err != nil {
		t.Fatal(err)
	}
	for n := range 5 {
		r.sees(a, r.send(b, "dead "+strconv.Itoa(n)))
	}
	if err := r.replica.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.takes(a)
	r.sees(a, r.send(b, "alive"))
	r.hasOtherHistory(a, b)
}

// isHeldToTheOrganization checks that a replica has the same guarantees as the primary: organizations are isolated,
// nothing is stored, and the caller gets the errors of its work. On a loaded machine the replica may be unavailable
// for a moment, and the read is retried.
func (r *replicated) isHeldToTheOrganization(p *process) {
	r.t.Helper()
	other := r.world.org()
	r.streams(other, "secret", "secret, too")
	taken, reads := int64(0), int64(3) // one of the four fails, and counts for neither
	for deadline := time.Now().Add(60 * time.Second); taken < reads; {
		if time.Now().After(deadline) {
			r.t.Fatalf("the replica took %d of %d reads", taken, reads)
		}
		before := p.Reads()["replica"]
		for org, want := range map[id.Org]int64{r.org: 1, other: 2} {
			err := p.ReadReplica(r.t.Context(), org, func(tx *store.Tx) error {
				got, err := tx.CountStreams(r.t.Context())
				if got != want {
					r.t.Errorf("organization %d has %d streams, not %d", org, got, want)
				}
				return err
			})
			if err != nil {
				r.t.Error(err)
			}
		}
		refused := errors.New("refused")
		if err := p.ReadReplica(r.t.Context(), r.org, func(*store.Tx) error { return refused }); !errors.Is(err, refused) {
			r.t.Errorf("%v", err)
		}
		if err := p.ReadReplica(r.t.Context(), r.org, func(tx *store.Tx) error { return tx.Emit(r.t.Context(), note{"x"}) }); err == nil {
			r.t.Error("a read stored an event")
		}
		taken = p.Reads()["replica"] - before
	}
}

// lags stops the replica for more than a second.
func (r *replicated) lags(a, b *process) {
	r.atReplica.Exec("select pg_wal_replay_pause()")
	message, before := r.send(a, "3"), b.Reads()["replica"]
	r.sees(b, message)
	testbed.Until(r.t, "the replica lags", func() bool { return b.Lag() >= time.Second })
	away := b.Reads()["away"]
	r.sees(b, message)
	if after := b.Reads(); after["replica"] != before || after["away"] != away+1 {
		r.t.Errorf("with a lag of %v: %v; before %d by the replica, %d while it was away", b.Lag(), after, before, away)
	}
	r.atReplica.Exec("select pg_wal_replay_resume()")
	r.takes(b)
	r.sees(b, message)
}

// fallsSilent disconnects the replica during a read.
func (r *replicated) fallsSilent(p *process) {
	r.takes(p)
	start, runs := time.Now(), 0
	err := p.ReadReplica(r.t.Context(), r.org, func(tx *store.Tx) error {
		if runs++; runs == 1 {
			r.toReplica.Sever()
		}
		_, err := tx.CountStreams(r.t.Context())
		return err
	})
	if took := time.Since(start); err != nil || runs != 2 || took > 15*time.Second { // usually 1 to 2; without the watch 31
		r.t.Errorf("cut off in a read: %v after %v, run %d times", err, took, runs)
	}
	r.sees(p, r.send(p, "silent"))
	r.toReplica.Mend()
	r.takes(p)
}

// hasOtherHistory makes the replica a primary with its own history, which is ahead of the primary's.
func (r *replicated) hasOtherHistory(a, b *process) {
	r.atReplica = storetest.Connect(r.t, r.replica.URL("postgres"))
	r.atReplica.Exec("select pg_promote()")
	r.atReplica.Exec("create table more as select generate_series(1, 100000)")
	before := a.Reads()["replica"]
	for n := range 5 {
		r.sees(a, r.send(b, "other "+strconv.Itoa(n)))
	}
	if after := a.Reads()["replica"]; after != before {
		r.t.Errorf("another server took %d reads", after-before)
	}
}

// No read at any process misses what was confirmed before, or what an event was received for, even if the replica
// applies everything late or pauses.
func TestReplicaMissesNothing(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	r := newReplicated(t)
	processes := []*process{r.process(), r.process()}
	for _, p := range processes {
		r.takes(p)
	}
	some := rapid.SampledFrom(processes)
	known := []id.Message(nil)
	seen, shard := store.Position{}, r.db.Shard(r.org)
	rapid.Check(t, func(rt *rapid.T) {
		late := rapid.SampledFrom([]string{"0", "3ms", "20ms", "200ms"}).Draw(rt, "late")
		r.atReplica.Exec("alter system set recovery_min_apply_delay = '" + late + "'")
		r.atReplica.Exec("select pg_reload_conf()")
		for range rapid.IntRange(5, 15).Draw(rt, "steps") {
			switch rapid.IntRange(0, 9).Draw(rt, "what") {
			case 0:
				r.atReplica.Exec("select pg_wal_replay_pause()")
			case 1:
				r.atReplica.Exec("select pg_wal_replay_resume()")
			case 2, 3, 4:
				known = append(known, r.send(some.Draw(rt, "sender"), "x"))
			case 5, 6:
				// Another process sends, so that the first sign of the message at these processes is the event.
				sent := make(chan error, 1)
				go func() {
					_, _, err := r.db.Send(t.Context(), r.org, to(r.sender, r.stream, "y"))
					sent <- err
				}()
				for before := len(known); len(known) == before; {
					entries, _, err := some.Draw(rt, "listener").Log().Read(t.Context(), shard, seen, 100)
					if err != nil {
						rt.Fatal(err)
					}
					for _, entry := range entries {
						seen = entry.Position
						known = append(known, messageOf(rt, entry))
					}
				}
				if got := r.messages(some.Draw(rt, "reader")); !slices.Contains(got, known[len(known)-1]) {
					rt.Errorf("message %d isn't found after its event", known[len(known)-1])
				}
				if err := <-sent; err != nil {
					rt.Fatal(err)
				}
			default:
				got := r.messages(some.Draw(rt, "reader"))
				for _, message := range known {
					if _, there := slices.BinarySearch(got, message); !there {
						rt.Errorf("message %d isn't found", message)
					}
				}
			}
		}
		r.atReplica.Exec("select pg_wal_replay_resume()")
	})
	for _, p := range processes {
		if reads := p.Reads(); reads["replica"] < 10 || reads["behind"] == 0 {
			t.Errorf("the replica hardly mattered: %v", reads)
		}
	}
}

// messageOf returns the message of an event.
func messageOf(rt *rapid.T, entry store.LogEntry) id.Message {
	payload := struct {
		Message struct {
			ID id.Message `json:"id"`
		} `json:"message"`
	}{}
	if err := json.Unmarshal([]byte(entry.Payload), &payload); err != nil || payload.Message.ID == 0 {
		rt.Fatalf("%s: %v", entry.Payload, err)
	}
	return payload.Message.ID
}
