package mail_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/mail"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
)

// world has one kind of mail, and a transport that the test controls.
type world struct {
	t    *testing.T
	db   *store.DB
	sql  *storetest.Session
	kind mail.Kind[int]

	mutex    sync.Mutex
	sent     []string
	counted  map[string]int
	deliver  func(to string) error
	to, of   map[string]int // remaining numbers
	composed error
	letters  int // that were composed
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, counted: map[string]int{}, deliver: func(string) error { return nil }, to: map[string]int{}, of: map[string]int{}}
	db, url := storetest.OpenURL(t)
	w.db, w.sql = db, storetest.Connect(t, url)
	w.kind = mail.NewKind("greeting", func(_ context.Context, _ *store.Tx, address string, number int) (*mail.Letter, error) {
		if number == 0 {
			return nil, w.composed // there is nothing to send, or composing failed
		}
		w.mutex.Lock()
		defer w.mutex.Unlock()
		w.letters++
		return &mail.Letter{Subject: strconv.Itoa(number)}, nil
	})
	return w
}

func (w *world) Deliver(_ context.Context, l mail.Letter) error {
	err := w.deliver(l.To)
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if err == nil {
		w.sent = append(w.sent, l.To+" "+l.Subject)
	}
	return err
}

// tries allows as many tries as its map contains, by default any number.
type tries struct {
	*world
	left map[string]int
}

func (all tries) Count(_ context.Context, key string) (time.Duration, error) {
	all.mutex.Lock()
	defer all.mutex.Unlock()
	left, limited := all.left[key]
	switch {
	case limited && left == 0:
		return time.Hour, nil
	case limited:
		all.left[key]--
	}
	return 0, nil
}

func (all tries) Wait(_ context.Context, key string) (time.Duration, error) {
	all.mutex.Lock()
	defer all.mutex.Unlock()
	if left, limited := all.left[key]; limited && left == 0 {
		return time.Hour, nil
	}
	return 0, nil
}

func (w *world) queue(kinds ...mail.Composer) *mail.Queue {
	if len(kinds) == 0 {
		kinds = []mail.Composer{w.kind}
	}
	return mail.NewQueue(mail.QueueDeps{
		DB: w.db, Transport: w, Kinds: kinds, PerAddress: tries{w, w.to}, PerOrg: tries{w, w.of}, Logger: testbed.Logger(w.t),
		Count: func(_ context.Context, _, outcome string) {
			w.mutex.Lock()
			defer w.mutex.Unlock()
			w.counted[outcome]++
		},
	})
}

func (w *world) add(org id.Org, to string, number int) {
	w.t.Helper()
	if err := w.db.Write(w.t.Context(), org, func(tx *store.Tx) error { return w.kind.Add(w.t.Context(), tx, to, number) }); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) send(q *mail.Queue) {
	w.t.Helper()
	if _, err := q.Send(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) waiting() int {
	return storetest.Values[int](w.sql, "select count(*)::int from mails")[0]
}

// Each mail is sent once, even if several workers look for it at the same time.
func TestSentOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range 30 {
		w.add(id.Org(1+i%3), "ada@corp.example", i+1)
	}
	w.add(1, "nobody@corp.example", 0)
	group := sync.WaitGroup{}
	for range 4 {
		q := w.queue()
		group.Go(func() { q.Send(t.Context()) })
	}
	group.Wait()
	unique := map[string]bool{}
	for _, one := range w.sent {
		unique[one] = true
	}
	if len(w.sent) != 30 || len(unique) != 30 || w.waiting() != 0 {
		t.Errorf("%d sent, %d different ones, %d wait", len(w.sent), len(unique), w.waiting())
	}
}

// Mail of a transaction that isn't committed isn't sent.
func TestRolledBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	failed := errors.New("no")
	if err := w.db.Write(t.Context(), 1, func(tx *store.Tx) error {
		return errors.Join(w.kind.Add(t.Context(), tx, "ada@corp.example", 1), failed)
	}); !errors.Is(err, failed) {
		t.Fatal(err)
	}
	if w.send(w.queue()); len(w.sent) != 0 {
		t.Errorf("%v", w.sent)
	}
}

// A mail that can't be sent is retried with increasing pauses, but not forever.
func TestTriedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.deliver = func(string) error { return errors.New("no server") }
	w.add(1, "ada@corp.example", 1)
	q, pauses := w.queue(), []float64{}
	for w.waiting() > 0 {
		w.send(q)
		pauses = append(pauses, storetest.Values[float64](w.sql, "select extract(epoch from due_at - now())::float8 from mails")...)
		w.sql.Exec("update mails set due_at = now() - interval '1 second'")
	}
	if len(pauses) != 11 || pauses[0] < 50 || pauses[0] > 61 || pauses[1] < 110 || pauses[10] < 4*3600-10 || w.counted[mail.Delayed] != 11 || w.counted[mail.Failed] != 1 {
		t.Errorf("pauses %v, %v", pauses, w.counted)
	}
	w.deliver = func(string) error { return fmt.Errorf("%w: no such mailbox", mail.ErrRefused) }
	w.add(1, "gone@corp.example", 1)
	if w.send(q); w.waiting() != 0 {
		t.Error("a permanently refused mail is still queued")
	}
	w.composed = errors.New("no database")
	w.add(1, "eve@corp.example", 0)
	if w.send(q); w.waiting() != 1 {
		t.Error("a mail that couldn't be composed was removed")
	}
}

// When a process ends while it sends a mail, another process takes the mail over.
func TestLeases(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.add(1, "ada@corp.example", 1)
	dying, die := context.WithCancel(t.Context())
	w.deliver = func(string) error {
		die()
		return errors.New("cut off")
	}
	if _, err := w.queue().Send(dying); err != nil {
		t.Fatal(err)
	}
	w.deliver = func(string) error { return nil }
	if w.send(w.queue()); len(w.sent) != 0 {
		t.Error("sent during the lease of another")
	}
	w.sql.Exec("update mails set due_at = now() - interval '1 second'")
	if w.send(w.queue()); len(w.sent) != 1 || w.waiting() != 0 {
		t.Errorf("%v, %d wait", w.sent, w.waiting())
	}
}

// A mail that is accepted while the process ends isn't sent again.
func TestSentAtTheEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.add(1, "ada@corp.example", 1)
	ending, end := context.WithCancel(t.Context())
	w.deliver = func(string) error {
		end()
		return nil
	}
	if _, err := w.queue().Send(ending); err != nil || len(w.sent) != 1 || w.waiting() != 0 {
		t.Errorf("%v, sent %q, %d wait", err, w.sent, w.waiting())
	}
}

// The numbers of mails for an address and from an organization are limited, without effect on others.
func TestLimits(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.to["greeting:ada@corp.example"], w.of["2"] = 2, 1
	for i := range 5 {
		w.add(1, "Ada@corp.example", i+1)
	}
	w.add(2, "bob@corp.example", 1)
	w.add(2, "eve@corp.example", 2)
	w.add(3, "kim@corp.example", 1)
	q := w.queue()
	w.send(q)
	if len(w.sent) != 4 || w.counted[mail.Limited] != 3 || w.waiting() != 1 {
		t.Errorf("%v, %v, %d wait", w.sent, w.counted, w.waiting())
	}
	if wait := storetest.Values[float64](w.sql, "select extract(epoch from due_at - now())::float8 from mails"); wait[0] < 3500 {
		t.Errorf("the organization waits for %v s", wait)
	}
	w.letters = 0
	for range 15 {
		w.sql.Exec("update mails set due_at = now() - interval '1 second'")
		w.send(q)
	}
	if w.waiting() != 1 || w.counted[mail.Failed] != 0 || w.letters > 0 {
		t.Errorf("%d wait after many looks, %v, %d were composed", w.waiting(), w.counted, w.letters)
	}
	// The address's limit counted the mail only once, and its failures count from now on.
	w.to["greeting:bob@corp.example"], w.to["greeting:eve@corp.example"] = 0, 0
	delete(w.of, "2")
	failures := 0
	w.deliver = func(string) error {
		failures++
		return errors.New("no server")
	}
	for range 20 {
		w.sql.Exec("update mails set due_at = now() - interval '1 second'")
		w.send(q)
	}
	if failures != 11 || w.waiting() != 0 || w.counted[mail.Limited] != 3 || w.counted[mail.Failed] != 1 {
		t.Errorf("%d failures of the mail that waited, %v, %d wait", failures, w.counted, w.waiting())
	}
}

// What turns out to need no mail doesn't count in the organization's limit.
func TestNothingToSend(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.of["2"] = 1
	for range 3 {
		w.add(2, "nobody@corp.example", 0)
	}
	q := w.queue()
	w.send(q)
	w.add(2, "bob@corp.example", 1)
	w.send(q)
	if len(w.sent) != 1 || w.waiting() != 0 {
		t.Errorf("%v, %d wait", w.sent, w.waiting())
	}
}

// Mail of a kind that only a newer release supports is kept, isn't retried without a pause, and doesn't delay other
// mail.
func TestUnknownKinds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const many = 50 // the number that is read at a time
	for range many {
		w.add(1, "ada@corp.example", 1)
	}
	another := mail.NewKind("another", func(context.Context, *store.Tx, string, int) (*mail.Letter, error) {
		return &mail.Letter{Subject: "known"}, nil
	})
	err := w.db.Write(t.Context(), 1, func(tx *store.Tx) error { return another.Add(t.Context(), tx, "eve@corp.example", 1) })
	if err != nil {
		t.Fatal(err)
	}
	w.sql.Exec("update mails set due_at = now() - interval '1 hour' where kind = 'greeting'")
	q := w.queue(another)
	if more, err := q.Send(t.Context()); more || err != nil {
		t.Errorf("there may be more: %v, %v", more, err)
	}
	if !slices.Equal(w.sent, []string{"eve@corp.example known"}) || w.waiting() != many {
		t.Errorf("sent %q, %d wait", w.sent, w.waiting())
	}
}

// A link is valid once, until it expires, for its kind and its organization.
func TestLink(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	now, link := time.Now(), mail.NewLink[int]("one", time.Hour)
	make1 := func() (token string) {
		t.Helper()
		if err := w.db.Write(t.Context(), 1, func(tx *store.Tx) (err error) {
			token, err = link.Make(t.Context(), tx, 42, now)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		return token
	}
	use := func(in id.Org, link mail.Link[int], token string, at time.Time) (state int, err error) {
		err = w.db.Write(t.Context(), in, func(tx *store.Tx) error {
			if state, err = link.Read(t.Context(), tx, token, at); err != nil {
				return err
			}
			state, err = link.Use(t.Context(), tx, token, at)
			return err
		})
		return state, err
	}
	token := make1()
	for what, try := range map[string]func() (int, error){
		"another organization": func() (int, error) { return use(2, link, token, now) },
		"another kind":         func() (int, error) { return use(1, mail.NewLink[int]("two", time.Hour), token, now) },
		"too late":             func() (int, error) { return use(1, link, token, now.Add(time.Hour)) },
		"another token":        func() (int, error) { return use(1, link, token[1:]+"A", now) },
	} {
		if state, err := try(); !errors.Is(err, mail.ErrNoLink) {
			t.Errorf("%s: %d, %v", what, state, err)
		}
	}
	if state, err := use(1, link, token, now); err != nil || state != 42 {
		t.Errorf("%d, %v", state, err)
	}
	if _, err := use(1, link, token, now); !errors.Is(err, mail.ErrNoLink) {
		t.Errorf("again: %v", err)
	}
	if kept := storetest.Values[string](w.sql, "select l::text from mail_links l"); len(kept) != 0 {
		t.Errorf("%v", kept)
	}
	make1()
	w.sql.Exec("update mail_links set ends_at = now() - interval '1 hour'")
	if token = make1(); storetest.Values[int](w.sql, "select count(*)::int from mail_links")[0] != 1 {
		t.Error("expired links are kept")
	}
	if stored := storetest.Values[string](w.sql, "select l::text from mail_links l")[0]; len(token) < 26 || stored == "" {
		t.Error(stored)
	}
}

// Low-priority mail is sent after all other mail, and no limit counts it.
func TestLowPriority(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	lowPriority := mail.NewLowPriorityKind("digest", func(context.Context, *store.Tx, string, int) (*mail.Letter, error) {
		return &mail.Letter{Subject: "low priority"}, nil
	})
	err := w.db.Write(t.Context(), 1, func(tx *store.Tx) error {
		return lowPriority.AddAll(t.Context(), tx, make([]string, 60), make([]int, 60))
	})
	if err != nil {
		t.Fatal(err)
	}
	w.to["digest:"], w.of["1"] = 0, 1
	w.add(1, "ada", 1)
	w.sql.Exec("update mails set due_at = due_at - interval '1 second' where kind = 'digest'")
	q := w.queue(w.kind, lowPriority)
	w.send(q)
	if !slices.Contains(w.sent, "ada 1") || len(w.sent) != 50 {
		t.Errorf("%d were sent first: %q", len(w.sent), w.sent)
	}
	w.send(q)
	if len(w.sent) != 61 || w.waiting() != 0 {
		t.Errorf("%d are sent, %d are left", len(w.sent), w.waiting())
	}
}
