package push_test

import (
	"context"
	"crypto/x509"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/services/push"
	"chatserver.dev/services/remote"
	"chatserver.dev/services/servicetest"
)

type params = servicetest.Params

// posted is a request to the push service.
type posted struct {
	path   string
	header http.Header
	body   []byte
}

// world is a server whose browsers have the test's push service. Ann writes to Bob.
type world struct {
	*servicetest.World
	t        *testing.T
	sql      *storetest.Session
	ann, bob servicetest.Account
	service  *httptest.Server
	permit   remote.Permit
	timeout  time.Duration // of the worker's requests; 0: as in production
	stop     func()        // the worker

	mutex   sync.Mutex
	got     []posted
	became  []string // of attempts
	answers http.HandlerFunc
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{
		World: servicetest.New(t), t: t, permit: func(string, string, syscall.RawConn) error { return nil },
		answers: func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(http.StatusCreated) },
	}
	w.sql = storetest.Connect(t, w.DatabaseURL)
	w.service = httptest.NewTLSServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.mutex.Lock()
		w.got = append(w.got, posted{r.URL.Path, r.Header.Clone(), body})
		answers := w.answers
		w.mutex.Unlock()
		answers(rw, r)
	}))
	t.Cleanup(w.service.Close)
	w.ann, w.bob = w.Person("Ann", actor.Member), w.Person("Bob", actor.Member)
	w.find() // from here on
	return w
}

// start starts a worker, like the one of each process.
func (w *world) start() {
	ctx, cancel := context.WithCancel(context.WithoutCancel(w.t.Context()))
	running, roots := sync.WaitGroup{}, x509.NewCertPool()
	roots.AddCert(w.service.Certificate())
	worker := push.New(push.Deps{
		Pushes: w.Pushes, Missed: w.Missed, Contact: "https://" + servicetest.Host, Permit: w.permit, Roots: roots, Now: time.Now, Logger: w.Logger,
		Count: func(_ context.Context, outcome string) {
			w.mutex.Lock()
			defer w.mutex.Unlock()
			w.became = append(w.became, outcome)
		},
	})
	if w.timeout != 0 {
		worker.SetTimeout(w.timeout)
	}
	running.Go(func() {
		if err := worker.Run(ctx); err != nil {
			w.t.Error(err)
		}
	})
	w.stop = func() { cancel(); running.Wait() }
	w.t.Cleanup(w.stop)
}

// answer sets the handler of the push service.
func (w *world) answer(with http.HandlerFunc) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.answers = with
}

func status(code int) http.HandlerFunc {
	return func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(code) }
}

// add registers a browser for notifications of an account.
func (w *world) add(of servicetest.Account, b browser) {
	w.t.Helper()
	of.Do(http.MethodPost, "/users/me/push_devices", params{
		"endpoint": w.service.URL + b.path, "p256dh": encode(b.key.PublicKey().Bytes()), "auth": encode(b.auth),
	}).OK()
}

func (w *world) private(by servicetest.Account, content string, to ...servicetest.Account) int64 {
	w.t.Helper()
	numbers, reply := []int64{}, struct{ ID int64 }{}
	for _, one := range to {
		numbers = append(numbers, int64(one.ID))
	}
	by.Do(http.MethodPost, "/messages", params{"type": "private", "to": numbers, "content": content}).OK().Decode(&reply)
	return reply.ID
}

// find looks for messages to notify of, until the end of the log.
func (w *world) find() {
	w.t.Helper()
	testbed.Until(w.t, "the log is looked through", func() bool {
		if err := w.Missed.Find(w.t.Context()); err != nil {
			w.t.Fatal(err)
		}
		return storetest.Values[int](w.sql, `select (select count(*) from event_log l join missed_places p on p.shard = l.shard
			where (l.xid, l.id) > (p.xid, p.id))::int + ($1 - (select count(*) from missed_places))::int`, storetest.Shards)[0] == 0
	})
}

// posts waits until the push service has got a number of notifications and no message waits, and returns the
// notifications.
func (w *world) posts(number int) []posted {
	w.t.Helper()
	testbed.Until(w.t, "all is sent", func() bool { return len(w.all()) >= number && w.waiting() == 0 })
	got := w.all()
	if len(got) != number {
		w.t.Fatalf("%d notifications, want %d", len(got), number)
	}
	return got
}

func (w *world) all() []posted {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return slices.Clone(w.got)
}

func (w *world) outcomes() []string {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return slices.Clone(w.became)
}

// waiting returns the number of messages that wait, for all browsers together.
func (w *world) waiting() int {
	return storetest.Values[int](w.sql, "select coalesce(sum(cardinality(messages)), 0)::int from push_devices")[0]
}

// later ends the pauses between attempts.
func (w *world) later() {
	w.sql.Exec("update push_devices set due_at = now() where due_at is not null")
}
