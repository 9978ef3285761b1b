package endpoint_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/limit"
	"chatserver.dev/pkg/longpoll"
	"chatserver.dev/pkg/permit"
)

// poller is a server with one endpoint, whose polls wait outside of package http's server.
type poller struct {
	accounts
	ended atomic.Bool // whether the member's key has become invalid
	left  atomic.Int64
	addr  string

	mutex   sync.Mutex
	again   int // number of polls that the handler didn't get
	waiting *endpoint.Sender

	watch    sync.Mutex
	observed []string // routes and statuses
}

// Follow implements endpoint.Follower.
func (p *poller) Follow(actor.Actor, string) func() bool {
	return func() bool { return !p.ended.Load() }
}

// Authenticate implements endpoint.Authenticator.
func (p *poller) Authenticate(ctx context.Context, host, email, key string) (actor.Actor, error) {
	if p.ended.Load() {
		return actor.Actor{}, fault.ErrInvalidKey
	}
	return p.accounts.Authenticate(ctx, host, email, key)
}

// Allow implements endpoint.Limiter: it allows a limited number of calls.
func (p *poller) Allow(_ context.Context, _ id.User, now time.Time) limit.Decision {
	d := limit.Decision{Limit: 1000, Reset: time.Unix(1000, 0), RetryAfter: 2 * time.Second}
	if left := p.left.Load(); left > 0 {
		p.left.Store(left - 1)
		d.Remaining, d.Allowed = int(left-1), true
	}
	return d
}

type pollParams struct {
	Number int64 `param:"n"`
	Now    bool  `param:"now" default:"false"`
}

// startPoller serves polls. The server accepts their number if it isn't empty.
func startPoller(t *testing.T, number string) *poller {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &poller{accounts: members(), addr: listener.Addr().String()}
	p.left.Store(1000)
	returned := longpoll.NewReturnListener(listener.Addr())
	polls := longpoll.New(context.WithoutCancel(t.Context()), longpoll.Config{
		Path: "/api/v1/events", Number: number, Idle: time.Minute, Now: time.Now, Logger: slog.New(slog.DiscardHandler), HandBack: returned.HandBack,
	})
	handler := serveWith(t, endpoint.Config{
		Now: time.Now, Authenticator: p, LocalLimiter: p, Park: polls.Take,
		Observe: func(_ context.Context, route string, status int, _ time.Duration) {
			p.watch.Lock()
			defer p.watch.Unlock()
			p.observed = append(p.observed, fmt.Sprintf("%s %d", route, status))
		},
	}, endpoint.Raw(endpoint.About{Route: "GET /events", Who: permit.Anyone, CountedLocally: true}, p.poll))
	polls.Handle(handler)
	server, running := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}, sync.WaitGroup{}
	for _, l := range []net.Listener{listener, returned} {
		running.Go(func() { _ = server.Serve(l) })
	}
	t.Cleanup(func() {
		_ = server.Close()
		running.Wait()
		ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
		cancel()
		polls.Shutdown(ctx)
	})
	return p
}

// poll responds at once to odd numbers, wakes itself for numbers from 400, and refuses numbers of more than three
// digits.
func (p *poller) poll(_ context.Context, who actor.Actor, in pollParams) ([]byte, endpoint.Deferred, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	switch {
	case in.Number > 999:
		return nil, nil, fault.Bad("It is too large")
	case in.Now:
		return []byte(`{"now":true}`), nil, nil
	}
	waits, number := false, in.Number
	return nil, endpoint.RepeatedWait{
		Wait: func(_ context.Context, to *endpoint.Sender) ([]byte, bool, error) {
			if p.mutex.Lock(); waits || number%2 == 1 {
				p.mutex.Unlock()
				waits = false
				if number >= 400 {
					body := fmt.Appendf(to.Memory(), `{"slowly":%d,`, number)
					time.Sleep(50 * time.Microsecond)
					return fmt.Appendf(body, `"late":%d}`, number), true, nil
				}
				return fmt.Appendf(to.Memory(), `{"late":%d,"user":%d,"client":%q}`, number, who.User, who.Client), true, nil
			}
			defer p.mutex.Unlock()
			if waits = true; number >= 400 {
				go to.Wake()
			} else {
				p.waiting = to
			}
			return nil, false, nil
		},
		Next: func(n int64) bool {
			if n > 999 {
				return false
			}
			p.mutex.Lock()
			defer p.mutex.Unlock()
			number, waits = n, false
			p.again++
			return true
		},
	}, nil
}

// answer answers a poll that begins to wait before done: at once in one piece, or by waking it.
func (p *poller) answer(now bool, done <-chan struct{}) {
	for {
		p.mutex.Lock()
		to := p.waiting
		if to != nil && (!now || to.TryAnswer([]byte(`{"now":1}`))) { // refuses while the poll is about to wait
			p.waiting = nil
		}
		ready := to != nil && p.waiting == nil
		p.mutex.Unlock()
		if ready && !now {
			to.Wake()
		}
		select {
		case <-done:
			return
		case <-time.After(50 * time.Microsecond):
		}
	}
}

// seen returns the number of polls that the handler didn't get, and what was observed.
func (p *poller) seen() (again int, observed []string) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.watch.Lock()
	defer p.watch.Unlock()
	return p.again, p.observed
}

// exchange sends a request and returns the response, except for the time and the number of the request.
func exchange(conn net.Conn, from *bufio.Reader, request string) (string, error) {
	if _, err := io.WriteString(conn, request); err != nil {
		return "", err
	}
	response, err := http.ReadResponse(from, nil)
	if err != nil {
		return "", err
	}
	body, err := io.ReadAll(response.Body)
	_ = response.Body.Close()
	for _, name := range []string{"Date", "X-Request-Id"} {
		if value := response.Header.Get(name); value == "" {
			return "", fmt.Errorf("%s is missing in %v", name, response.Header)
		} else if value != "mine" {
			response.Header.Set(name, "something")
		}
	}
	return fmt.Sprintf("%s %v %s", response.Status, response.Header, body), err
}

// The responses on a connection are the same whether each poll is parsed completely or recognized as a repetition:
// whatever differs from the previous poll, and whatever has changed about the caller and its limits meanwhile.
func TestRepeats(t *testing.T) {
	t.Parallel()
	known := 0
	rapid.Check(t, func(r *rapid.T) {
		servers, conns, readers := [2]*poller{startPoller(t, "n"), startPoller(t, "")}, [2]net.Conn{}, [2]*bufio.Reader{}
		left := rapid.SampledFrom([]int64{3, 1000}).Draw(r, "calls")
		for i, p := range servers {
			p.left.Store(left)
			conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", p.addr)
			if err != nil {
				r.Fatal(err)
			}
			defer conn.Close()
			conns[i], readers[i] = conn, bufio.NewReader(conn)
		}
		query := rapid.SampledFrom([]string{"n=%d", "a=b&n=%d&client=x"}).Draw(r, "query")
		fields := rapid.SampledFrom([]string{"", "X-Request-Id: mine\r\n", "Origin: http://elsewhere.example\r\n", "User-Agent: Program/1\r\n"})
		field := fields.Draw(r, "field")
		for range rapid.IntRange(1, 8).Draw(r, "polls") {
			number, letter, ends := rapid.SampledFrom([]int{2, 4, 6, 7, -2, 1000}).Draw(r, "number"), "m", false
			switch rapid.IntRange(0, 12).Draw(r, "kind") {
			case 0:
				field = fields.Draw(r, "another field")
			case 1:
				letter = rapid.SampledFrom([]string{"d", "g", "z"}).Draw(r, "key")
			case 2:
				ends = true
			case 3:
				query = rapid.SampledFrom([]string{"n=%d", "n=%d&now=true", "a=%d", "n=%d&n=2", "n=0%d", "n=%d&now=x"}).Draw(r, "another query")
			}
			request := "GET /api/v1/events?" + fmt.Sprintf(query, number) + " HTTP/1.1\r\nHost: " + host + "\r\nAuthorization: " + basic(key(letter)) + "\r\n" + field + "\r\n"
			now, answers := rapid.Bool().Draw(r, "now"), [2]string{}
			for i, p := range servers {
				p.ended.Store(p.ended.Load() || ends)
				done, running := make(chan struct{}), sync.WaitGroup{}
				running.Go(func() { p.answer(now, done) })
				answer, err := exchange(conns[i], readers[i], request)
				close(done)
				running.Wait()
				if err != nil {
					r.Fatal(err)
				}
				answers[i] = answer
			}
			if difference := cmp.Diff(answers[1], answers[0]); difference != "" {
				r.Fatalf("%q, read in full -, known +:\n%s", request, difference)
			}
		}
		again, observed := servers[0].seen()
		none, want := servers[1].seen()
		if difference := cmp.Diff(want, observed); difference != "" || none > 0 {
			r.Fatalf("%d polls weren't read in full where all are; observed:\n%s", none, difference)
		}
		known += again
	})
	if known == 0 {
		t.Error("no poll was known from the one before")
	}
}

// Concurrent responses don't share data.
func TestRepeatsApart(t *testing.T) {
	t.Parallel()
	p, asking := startPoller(t, "n"), sync.WaitGroup{}
	p.left.Store(1 << 40)
	for client := range 8 {
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", p.addr)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		from := bufio.NewReader(conn)
		asking.Go(func() {
			for i := range 500 {
				number := 400 + 2*((10*client+i)%300)
				answer, err := exchange(conn, from, fmt.Sprintf("GET /api/v1/events?n=%d HTTP/1.1\r\nHost: %s\r\nAuthorization: %s\r\n\r\n", number, host, basic(key("m"))))
				if want := fmt.Sprintf(`{"slowly":%d,"late":%d}`, number, number); err != nil || !strings.Contains(answer, want) {
					t.Errorf("to the poll %d: %s, %v", number, answer, err)
					return
				}
			}
		})
	}
	asking.Wait()
	if again, _ := p.seen(); again == 0 {
		t.Error("no poll was known from the one before")
	}
}
