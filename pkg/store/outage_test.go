package store_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/localserver"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
)

// answer is the timeout of responses in these tests. On a busy machine a response takes most of a second.
const answer = 2 * time.Second

// outage is a world with its own server, behind a wire that can be cut.
type outage struct {
	*world
	server *localserver.Postgres
	wire   *testbed.Wire
	org    id.Org
	sender id.User
	stream id.Stream
	serial atomic.Int32
	stored sync.Map // confirmed texts
}

func newOutage(t *testing.T, options localserver.Options) *outage {
	t.Helper()
	server := storetest.StartServer(t, options)
	o := &outage{server: server, wire: testbed.NewWire(t, filepath.Join(server.SocketDir(), ".s.PGSQL.5432"))}
	o.world = &world{t: t, url: "postgres://postgres@" + o.wire.Addr() + "/postgres?sslmode=disable", waker: &waker{}}
	o.db = o.reopen(store.Config{AnswerTimeout: answer, StatementTimeout: 30 * time.Second, IdleTimeout: 10 * time.Second})
	o.session = storetest.Connect(t, server.URL("postgres"))
	o.org = o.world.org()
	o.sender, o.stream = o.users(o.org, 1)[0], o.streams(o.org, "a")[0]
	o.fill()
	return o
}

// fill opens all connections of the pool, for two organizations.
func (o *outage) fill() {
	o.t.Helper()
	inside, work := sync.WaitGroup{}, sync.WaitGroup{}
	inside.Add(2)
	for _, org := range []id.Org{o.org, o.org + 1} {
		work.Go(func() {
			err := o.db.Read(o.t.Context(), org, func(*store.Tx) error {
				inside.Done()
				inside.Wait()
				return nil
			})
			if err != nil {
				o.t.Error(err)
			}
		})
	}
	work.Wait()
}

// use makes all kinds of requests to the database, several times at once, and reports how many succeeded. It fails
// the test if a call hangs, or fails with an error other than a 503.
func (o *outage) use(ctx context.Context) (done map[string]int) {
	o.t.Helper()
	calls := map[string]func() error{
		"send": func() error {
			text := strconv.Itoa(int(o.serial.Add(1)))
			_, ok, err := o.db.Send(ctx, o.org, to(o.sender, o.stream, text))
			if err == nil && !ok {
				return errors.New("what was decided on doesn't hold")
			}
			if err == nil {
				o.stored.Store(text, true)
			}
			return err
		},
		"read": func() error { return o.db.Read(ctx, o.org, func(*store.Tx) error { return nil }) },
		"write": func() error {
			return o.db.Write(ctx, o.org, func(tx *store.Tx) error { return tx.Emit(ctx, note{"x"}) })
		},
		"authenticate": func() error {
			_, err := o.db.Authenticate(ctx, [][]byte{[]byte("none")})
			if errors.Is(err, store.ErrNotFound) {
				return nil
			}
			return err
		},
		"log": func() error {
			_, _, err := o.db.Log().Read(ctx, 0, store.Position{}, 1)
			return err
		},
	}
	mutex, work := sync.Mutex{}, sync.WaitGroup{}
	done = map[string]int{}
	for name, call := range calls {
		for range 4 {
			work.Go(func() {
				start := time.Now()
				err := call()
				if took := time.Since(start); took > 15*answer { // usually 1 to 7; without deadlines it would be minutes
					o.t.Errorf("%s took %v: %v", name, took, err)
				}
				if err == nil {
					mutex.Lock()
					defer mutex.Unlock()
					done[name]++
					return
				}
				if f := fault.Of(err); f == nil || f.Kind != fault.Unavailable {
					o.t.Errorf("%s failed with %v", name, err)
				}
			})
		}
	}
	work.Wait()
	return done
}

// recovered fails the test unless everything works again.
func (o *outage) recovered() {
	o.t.Helper()
	for name, n := range o.use(o.t.Context()) {
		if n != 4 {
			o.t.Errorf("%s: %d of 4 work afterwards", name, n)
		}
	}
	if err := o.db.Ping(o.t.Context()); err != nil {
		o.t.Errorf("not ready: %v", err)
	}
	have := storetest.Values[string](o.session, "select content from messages")
	o.stored.Range(func(text, _ any) bool {
		if !slices.Contains(have, text.(string)) {
			o.t.Errorf("message %v was confirmed and is lost", text)
		}
		return true
	})
}

// A server with stopped processes, as on a lost node, delays no call for longer than a few deadlines.
func TestStoppedBackends(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	o := newOutage(t, localserver.Options{})
	pids := storetest.Values[int](o.session, "select pid from pg_stat_activity where application_name like 'chatserver%'")
	for _, pid := range pids {
		if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGCONT) })
	}
	if len(pids) < 3 {
		t.Fatalf("%d connections", len(pids))
	}
	// Both slots for sends use a dead connection. Reads are retried.
	done := o.use(t.Context())
	for _, name := range []string{"read", "write", "authenticate"} {
		if done[name] != 4 {
			t.Errorf("%s: %d of 4 found another connection", name, done[name])
		}
	}
	o.recovered()
}

// When a network drops all packets, calls soon fail with a 503. When it works again, everything works over new
// connections, because the old ones stay dead.
func TestDroppedPackets(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	o := newOutage(t, localserver.Options{})
	o.wire.Sever()
	soon, cancel := context.WithTimeout(t.Context(), answer)
	defer cancel()
	if err := o.db.Check(soon); err == nil || !strings.Contains(err.Error(), "doesn't respond in time") {
		t.Errorf("the check over a dead connection: %v", err)
	}
	if done := o.use(t.Context()); len(done) > 0 {
		t.Errorf("without a network: %v", done)
	}
	if err := o.db.Ping(t.Context()); err == nil {
		t.Error("ready without a network")
	}
	o.wire.Mend()
	o.recovered()
}

// Reading an organization's roster may take the server long, but the wait on a dead connection is limited.
func TestRosterOverDeadConnection(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	o := newOutage(t, localserver.Options{})
	roster := func() error { _, err := o.db.Log().Roster(t.Context(), o.org, store.Position{}); return err }
	if err := roster(); err != nil {
		t.Fatal(err)
	}
	o.wire.Sever()
	o.wire.Mend()
	start := time.Now()
	if err := roster(); err != nil {
		t.Error(err)
	}
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("it took %v", took)
	}
}

// When a server has been killed, calls fail with a 503 at once, also while it is starting.
func TestServerEnds(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	o := newOutage(t, localserver.Options{Durable: true})
	if err := o.server.Kill(); err != nil {
		t.Fatal(err)
	}
	// Its processes live a moment longer, and their confirmations are correct.
	testbed.Until(t, "a server that was killed no longer answers", func() bool { return len(o.use(t.Context())) == 0 })
	if done := o.use(t.Context()); len(done) > 0 {
		t.Errorf("without a server: %v", done)
	}
	if err := o.server.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	o.session = storetest.Connect(t, o.server.URL("postgres"))
	o.recovered()
	// Connections that the server has ended lose at most a confirmation.
	o.session.Exec("select pg_terminate_backend(pid, 5000) from pg_stat_activity where application_name like 'chatserver%'")
	if done := o.use(t.Context()); done["read"] != 4 || done["write"] != 4 || done["log"] != 4 {
		t.Errorf("with ended connections: %v", done)
	}
	o.recovered()
}

// If a connection fails between the commit and its confirmation, the outcome is unknown, and the error says so.
func TestUnsure(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	o := newOutage(t, localserver.Options{})
	err := o.db.Write(t.Context(), o.org, func(tx *store.Tx) error {
		err := tx.Emit(t.Context(), note{"maybe"})
		o.wire.Sever()
		return err
	})
	if !errors.Is(err, store.ErrUnsure) {
		t.Errorf("a commit without an answer: %v", err)
	}
	o.wire.Mend()
	if _, _, err := o.db.Send(t.Context(), o.org, to(o.sender, o.stream, "well")); err != nil {
		t.Error(err)
	}
}

// The wait for a connection is limited while all are in use.
func TestNoConnectionFree(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := newWorld(t)
	org := w.org()
	db := w.reopen(store.Config{AnswerTimeout: 2 * time.Second}) // connecting takes long on a busy machine
	err := db.Read(t.Context(), org, func(*store.Tx) error {
		return db.Read(t.Context(), org, func(*store.Tx) error {
			return db.Read(t.Context(), org, func(*store.Tx) error { return nil })
		})
	})
	if !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("%v", err)
	}
}

// While PostgreSQL accepts no more connections, calls share those that there are, and the pool grows again afterwards.
func TestTooManyConnections(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	org := w.org()
	db := w.reopen(store.Config{Connections: 16, AnswerTimeout: 20 * time.Second})
	accept := func(more int) {
		w.session.Exec(fmt.Sprintf(`do $$ begin execute format('alter database %%I connection limit %%s', current_database(),
			(select count(*) + %d from pg_stat_activity where datname = current_database())); end $$`, more))
	}
	// use makes 40 calls at a time, and returns how many connections they had.
	use := func() int {
		work, busy, most := sync.WaitGroup{}, atomic.Int32{}, atomic.Int32{}
		for range 40 {
			work.Go(func() {
				err := db.Read(t.Context(), org, func(*store.Tx) error {
					defer busy.Add(-1)
					now := busy.Add(1)
					for old := most.Load(); old < now && !most.CompareAndSwap(old, now); old = most.Load() {
					}
					time.Sleep(20 * time.Millisecond)
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		work.Wait()
		return int(most.Load())
	}
	accept(2)
	if n := use(); n > 3 { // one was open before
		t.Errorf("%d connections at a time", n)
	}
	if db.Connections()[0].Refused == 0 {
		t.Error("no refused connection is counted")
	}
	accept(50)
	testbed.Until(t, "the pool has more connections again", func() bool { return use() > 3 })
}

// A message whose stream is locked for long isn't stored, and its sender gets an error.
func TestSendToLockedStream(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := newWorld(t)
	org := w.org()
	sender, stream := w.users(org, 1)[0], w.streams(org, "a")[0]
	db := w.reopen(store.Config{AnswerTimeout: time.Second})
	w.session.Exec("select pg_advisory_lock($1)", int64(stream))
	if _, _, err := db.Send(t.Context(), org, to(sender, stream, "x")); !errors.Is(err, store.ErrSlow) {
		t.Errorf("%v", err)
	}
	w.session.Exec("select pg_advisory_unlock_all()")
	if n := storetest.Values[int](w.session, "select count(*)::int from messages")[0]; n != 0 {
		t.Errorf("%d messages are stored", n)
	}
	if _, ok, err := db.Send(t.Context(), org, to(sender, stream, "x")); !ok || err != nil {
		t.Errorf("afterwards: %v, %v", ok, err)
	}
}
