package systemtest_test

import (
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"chatserver.dev/pkg/storetest"
)

// TestServersGoneUnderRequests kills and stops PostgreSQL, and stops its sessions, during requests of all kinds: each
// is soon answered with 200 or 503, all confirmed messages are stored, and all services recover by themselves.
func TestServersGoneUnderRequests(t *testing.T) {
	t.Parallel()
	s := StartSystem(t)
	ada := s.Organization(t, 1)[0]
	processes := []*Process{s.Service("api"), s.Service("events")}
	at := func(i int) func() []string { return func() []string { return []string{processes[i].URL()} } }
	var confirmed sync.Map
	var refusals, serial atomic.Int64
	end, work := make(chan struct{}), sync.WaitGroup{}
	underway := sync.RWMutex{} // requests hold it for reading
	ask := func(service int, method, path string, params func() url.Values, done func(params url.Values)) {
		c := client{http: &http.Client{Timeout: time.Minute}, urls: at(service), email: ada.Email, key: ada.Key}
		work.Go(func() {
			for {
				select {
				case <-end:
					return
				default:
				}
				underway.RLock()
				given, start := params(), time.Now()
				err := c.call(t.Context(), method, path, given, &struct{}{})
				underway.RUnlock()
				if took := time.Since(start); took > 30*time.Second {
					t.Errorf("%s took %v: %v", path, took, err)
				}
				no, refused := err.(refused) //nolint:errorlint // call's own
				switch {
				case err == nil:
					done(given)
				case refused && no.status == http.StatusServiceUnavailable:
					refusals.Add(1)
				default:
					t.Errorf("%s: %v", path, err)
					return
				}
				time.Sleep(5 * time.Millisecond)
			}
		})
	}
	message := func() url.Values {
		return url.Values{"type": {"private"}, "to": {`["` + ada.Email + `"]`}, "content": {fmt.Sprint("text ", serial.Add(1))}}
	}
	nothing := func(url.Values) {}
	for range 4 {
		ask(0, http.MethodPost, "/messages", message, func(sent url.Values) { confirmed.Store(sent.Get("content"), true) })
	}
	ask(0, http.MethodGet, "/users", func() url.Values { return nil }, nothing)
	ask(1, http.MethodPost, "/register", func() url.Values { return url.Values{"event_types": {`["realm_user"]`}} }, nothing)
	// sentAfter waits until messages can be sent again after an outage.
	sentAfter := func(what string) {
		t.Helper()
		before := serial.Load() + 8
		for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
			for n := before; n <= serial.Load(); n++ {
				if _, ok := confirmed.Load(fmt.Sprint("text ", n)); ok {
					return
				}
			}
		}
		t.Errorf("nothing can be sent after %s", what)
	}
	sentAfter("the start")
	if err := s.KillPostgres(t.Context()); err != nil {
		t.Fatal(err)
	}
	sentAfter("a crash of PostgreSQL")
	// Sessions are stopped only between two requests: a session that is stopped in a transaction would keep its locks,
	// and block all requests that need them.
	underway.Lock()
	pids := storetest.Values[int](storetest.Connect(t, s.DatabaseURL()),
		"select pid from pg_stat_activity where application_name like 'chatserver%' and state = 'idle'")
	for _, pid := range pids {
		if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		defer syscall.Kill(pid, syscall.SIGCONT)
	}
	underway.Unlock()
	sentAfter("sessions that stand still")
	close(end)
	work.Wait()
	if refusals.Load() == 0 {
		t.Error("no request was refused during the outages")
	}
	stored := map[string]bool{}
	for _, text := range storetest.Values[string](storetest.Connect(t, s.DatabaseURL()), "select content from messages") {
		stored[text] = true
	}
	n := 0
	confirmed.Range(func(text, _ any) bool {
		if n++; !stored[text.(string)] {
			t.Errorf("message %v was confirmed but isn't stored", text)
		}
		return true
	})
	t.Logf("%d messages were confirmed, %d requests refused", n, refusals.Load())
}
