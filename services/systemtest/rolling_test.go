package systemtest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"chatserver.dev/pkg/queue"
)

// door models a Service of Kubernetes: each connection goes to one of the servers behind it. A server that isn't ready
// gets no new connections as soon as the endpoints are updated.
type door struct {
	addr    string
	mutex   sync.Mutex
	servers []string
	next    int
}

func newDoor(t *testing.T, servers ...string) *door {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	d := &door{addr: listener.Addr().String(), servers: servers}
	group := sync.WaitGroup{}
	t.Cleanup(func() { _ = listener.Close(); group.Wait() })
	ctx := t.Context()
	group.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			group.Go(func() { d.join(ctx, conn) })
		}
	})
	return d
}

// only sends new connections to these servers.
func (d *door) only(servers ...string) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.servers = servers
}

// join copies bytes in both directions, and closes each direction separately, until ctx ends.
func (d *door) join(ctx context.Context, client net.Conn) {
	d.mutex.Lock()
	d.next++
	to := d.servers[d.next%len(d.servers)]
	d.mutex.Unlock()
	server, err := (&net.Dialer{}).DialContext(ctx, "tcp", to)
	if err != nil {
		_ = client.Close()
		return
	}
	defer context.AfterFunc(ctx, func() { _, _ = client.Close(), server.Close() })()
	both := sync.WaitGroup{}
	for _, way := range [][2]net.Conn{{client, server}, {server, client}} {
		both.Go(func() {
			_, _ = io.Copy(way[1], way[0])
			if half, ok := way[1].(*net.TCPConn); ok {
				_ = half.CloseWrite()
			}
		})
	}
	both.Wait()
	_ = client.Close()
	_ = server.Close()
}

// caller is a client that keeps its connections, counts all failures and never retries.
type caller struct {
	client *http.Client
	base   string
	who    Account
}

func newCaller(t *testing.T, base string, who Account) *caller {
	t.Helper()
	transport := &http.Transport{MaxIdleConnsPerHost: 4, IdleConnTimeout: time.Minute}
	t.Cleanup(transport.CloseIdleConnections)
	return &caller{&http.Client{Transport: transport}, base, who}
}

// call makes a request. Its body can't be read again, so package http doesn't retry it after a failure of a kept
// connection.
func (c *caller) call(ctx context.Context, method, path string, form url.Values) (answer string, err error) {
	address, text := c.base+path, form.Encode()
	if method == http.MethodGet {
		address, text = address+"?"+text, ""
	}
	request, err := http.NewRequestWithContext(ctx, method, address, io.MultiReader(strings.NewReader(text)))
	if err != nil {
		return "", err
	}
	request.SetBasicAuth(c.who.Email, c.who.Key)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	response, err := c.client.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = errors.New(response.Status)
	}
	return string(raw), err
}

// listening is a client that polls continuously, and records the messages that it gets.
type listening struct {
	*caller
	queue string
	last  int64
	polls atomic.Int64

	mutex sync.Mutex
	got   []string
}

func (l *listening) register(ctx context.Context) error {
	reply := struct {
		QueueID     string `json:"queue_id"`
		LastEventID int64  `json:"last_event_id"`
	}{}
	text, err := l.call(ctx, http.MethodPost, "/api/v1/register", url.Values{"event_types": {`["message"]`}, "fetch_event_types": {`[]`}})
	if err != nil {
		return err
	}
	err = json.Unmarshal([]byte(text), &reply)
	l.queue, l.last = reply.QueueID, reply.LastEventID
	return err
}

// listen polls until ctx ends. It returns an error for any earlier failure.
func (l *listening) listen(ctx context.Context) error {
	for {
		text, err := l.call(ctx, http.MethodGet, "/api/v1/events", url.Values{"queue_id": {l.queue}, "last_event_id": {strconv.FormatInt(l.last, 10)}})
		if err != nil && ctx.Err() != nil {
			return nil //nolint:nilerr // it was stopped
		}
		if err != nil {
			return fmt.Errorf("poll %d: %w", l.polls.Load(), err)
		}
		reply := struct {
			Events []pollEvent `json:"events"`
		}{}
		if err := json.Unmarshal([]byte(text), &reply); err != nil {
			return fmt.Errorf("poll: %w in %s", err, text)
		}
		l.polls.Add(1)
		l.mutex.Lock()
		for _, e := range reply.Events {
			want := queue.Acknowledged(l.last)
			if e.Type != "heartbeat" {
				want++
			}
			if e.ID <= l.last || queue.Acknowledged(e.ID) != want {
				err = fmt.Errorf("%s %d after %d", e.Type, e.ID, l.last)
			}
			l.last = e.ID
			if e.Type == "message" {
				l.got = append(l.got, e.Message.Content)
			}
		}
		l.mutex.Unlock()
		if err != nil {
			return err
		}
	}
}

func (l *listening) received() []string {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return slices.Clone(l.got)
}

// TestRollingUpdate stops one of two servers whose clients keep their connections: no request fails, and no event is
// lost or delivered twice.
func TestRollingUpdate(t *testing.T) {
	t.Parallel()
	const (
		busy, quiet = 8, 92
		spread      = 300 * time.Millisecond // until everybody knows which servers are ready
	)
	system := StartSystem(t)
	accounts := system.Organization(t, 3)
	settings := []string{"RATE_LIMIT_PER_USER=1000000/60s", "EVENT_QUEUES_PER_ACCOUNT=0", "SHUTDOWN_DELAY=2s", "SHUTDOWN_GRACE=8s"}
	ends, stays := system.Start(t, "chatserver", settings...), system.Start(t, "chatserver", settings...)
	host := func(p *Process) string { return strings.TrimPrefix(p.URL(), "http://") }
	front := newDoor(t, host(ends), host(stays))
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()

	followers, group := []*listening(nil), sync.WaitGroup{}
	listening0, stop := context.WithCancel(ctx)
	defer group.Wait()
	defer stop()
	for i := range busy + quiet {
		who := accounts[1]
		if i >= busy {
			who = accounts[2]
		}
		l := &listening{caller: newCaller(t, "http://"+front.addr, who)}
		if err := l.register(ctx); err != nil {
			t.Fatal(err)
		}
		followers = append(followers, l)
		group.Go(func() {
			if err := l.listen(listening0); err != nil {
				t.Errorf("client %d: %v", i, err)
			}
		})
	}
	sent, sender := 0, newCaller(t, "http://"+front.addr, accounts[0])
	say := func(to Account, text string) {
		t.Helper()
		if _, err := sender.call(ctx, http.MethodPost, "/api/v1/messages", url.Values{"type": {"private"}, "to": {`["` + to.Email + `"]`}, "content": {text}}); err != nil {
			t.Errorf("message %s: %v", text, err)
		}
	}
	sendFor := func(over time.Duration) {
		for end := time.Now().Add(over); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
			say(accounts[1], strconv.Itoa(sent))
			sent++
		}
	}
	sendFor(5 * time.Second) // the quiet ones wait for long, without a goroutine each in the server
	start := time.Now()
	ends.Signal(syscall.SIGTERM)
	time.AfterFunc(spread, func() { front.only(host(stays)) })
	ended := make(chan error, 1)
	go func() { ended <- ends.Wait() }()
	for over := false; !over; {
		sendFor(50 * time.Millisecond)
		select {
		case err := <-ended:
			if over = true; err != nil {
				t.Errorf("the server ended with error %v", err)
			}
		case <-ctx.Done():
			t.Fatal("the server doesn't end")
		default:
		}
	}
	if took := time.Since(start); took < 2*time.Second || took > 11*time.Second {
		t.Errorf("the server ended after %v, want 2 s to 11 s", took)
	}
	sendFor(time.Second)
	say(accounts[2], "0")

	want := make([]string, sent)
	for i := range want {
		want[i] = strconv.Itoa(i)
	}
	deadline := time.Now().Add(20 * time.Second) // for all: where all polls fail, that is soon said
	for i, l := range followers {
		all := want
		if i >= busy {
			all = want[:1]
		}
		for len(l.received()) < len(all) && time.Now().Before(deadline) {
			time.Sleep(10 * time.Millisecond)
		}
		if got := l.received(); !slices.Equal(got, all) {
			t.Errorf("client %d got %d of %d messages: %v", i, len(got), len(all), got[max(0, len(got)-5):])
		}
	}
	t.Logf("%d messages to %d queues, %d more waited; the server ended after %v", sent, busy, quiet, time.Since(start))
}
