package systemtest_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"

	"chatserver.dev/pkg/storetest"
)

// TestDescriptorsRunOut opens event streams until a process has no more file descriptors for connections. Then a new
// client gets a 503, and the streams work, even if the process has to connect to its servers again. When some clients
// have left, the process serves new ones.
func TestDescriptorsRunOut(t *testing.T) {
	t.Parallel()
	const (
		descriptors = 128
		limit       = 95 // a quarter is left to the process
		within      = 30 * time.Second
	)
	s := StartSystem(t)
	api, events := s.Service("api"), NewProcess(t, "events", append(s.Env(), s.Wired()...)...)
	events.descriptors = descriptors
	events.Start()
	accounts := s.Organization(t, 2)
	account := accounts[0]
	at := func(p *Process) func() []string { return func() []string { return []string{p.URL()} } }
	short := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	sender := &client{http: short, urls: at(api), email: account.Email, key: account.Key}
	newcomer := &client{http: short, urls: at(events), email: account.Email, key: account.Key}
	// A process ends the streams of new accounts, and others might take the places of those. So wait until the process has
	// noticed both accounts: it ends a stream of the other.
	other := &follower{client: client{http: short, urls: at(events), email: accounts[1].Email, key: accounts[1].Key}}
	if err := other.register(t.Context()); err != nil {
		t.Fatal(err)
	}
	stream, err := other.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	storetest.Connect(t, s.DatabaseURL()).Exec("update users set changed_at = clock_timestamp() where user_id = $1", accounts[1].UserID)
	if err := other.receive(stream, time.Now()); err != nil {
		t.Fatal(err)
	}

	followers := make([]*follower, limit)
	for i := range followers {
		followers[i] = &follower{client: *newcomer, streams: true, user: account.UserID}
		if err := followers[i].register(t.Context()); err != nil {
			t.Fatal(err)
		}
	}

	transport, following, stops := &http.Transport{}, sync.WaitGroup{}, []context.CancelFunc(nil)
	defer transport.CloseIdleConnections()
	defer following.Wait()
	defer func() {
		for _, stop := range stops {
			stop()
		}
	}()
	for i, f := range followers {
		f.http = &http.Client{Transport: transport}
		ctx, stop := context.WithCancel(t.Context())
		stops = append(stops, stop)
		no := refused{}
		stream, err := f.open(ctx)
		// The refusal comes before the request, so package http may not have read it.
		for by := time.Now().Add(within); err != nil && !errors.As(err, &no) && time.Now().Before(by); time.Sleep(pulse) {
			stream, err = f.open(ctx)
		}
		if no.status == http.StatusServiceUnavailable {
			followers = followers[:i]
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		following.Go(func() {
			_ = f.receive(stream, time.Now()) // it ends with a process or its client
			f.follow(ctx)
		})
	}
	if n := len(followers); n == limit || n < limit/3 {
		t.Fatalf("%d streams", n)
	}

	reaches := func(some []*follower) {
		t.Helper()
		parameters := url.Values{"type": {"private"}, "to": {fmt.Sprintf("[%d]", account.UserID)}, "content": {"I am here"}}
		sent := struct{ ID int64 }{} // an earlier try may have been stored, too
		if err := sender.insist(t.Context(), http.MethodPost, "/messages", parameters, &sent); err != nil {
			t.Fatal(err)
		}
		lacks := func(f *follower) bool {
			got, err := f.got()
			return err != nil || !slices.Contains(got, sent.ID)
		}
		for by := time.Now().Add(within); slices.ContainsFunc(some, lacks); time.Sleep(pulse) {
			if time.Now().After(by) {
				for i, f := range some {
					got, err := f.got()
					t.Logf("stream %d: messages %v, %v", i, got, err)
				}
				t.Fatalf("not all streams have message %d", sent.ID)
			}
		}
	}
	ask := func() (status int) {
		for by := time.Now().Add(within); ; time.Sleep(pulse) {
			no := refused{}
			err := newcomer.call(t.Context(), http.MethodGet, "/events", url.Values{"queue_id": {"none"}, "last_event_id": {"-1"}}, &struct{}{})
			if errors.As(err, &no) {
				return no.status
			}
			if time.Now().After(by) { // before that, package http may not have read the refusal
				t.Fatalf("the newcomer: %v", err)
			}
		}
	}
	reaches(followers)
	if status := ask(); status != http.StatusServiceUnavailable {
		t.Errorf("a new client gets status %d, want 503", status)
	}
	s.RedisWire.Sever()
	s.PostgresWire.Sever()
	s.RedisWire.Mend()
	s.PostgresWire.Mend()
	reaches(followers)

	half := len(followers) / 2
	for _, stop := range stops[:half] {
		stop()
	}
	for by := time.Now().Add(within); ask() != http.StatusBadRequest; time.Sleep(pulse) { // there is no such queue
		if time.Now().After(by) {
			t.Fatal("the process doesn't serve new clients after others have left")
		}
		reaches(followers[half:]) // the process detects a closed stream when it writes to it
	}
}
