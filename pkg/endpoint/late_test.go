package endpoint_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/permit"
)

// lateServer is a server whose endpoint hands its calls to the test.
type lateServer struct {
	t       *testing.T
	addr    string
	taken   chan *endpoint.LateAnswer // nil: the call can't be answered late
	ending  *atomic.Bool
	serving *http.Server
}

// lateParams tell the calls apart.
type lateParams struct {
	Name string `param:"name" default:""`
}

// back is a listener for the connections that are given back.
type back struct {
	conns  chan net.Conn
	closed context.Context
	close  context.CancelFunc
}

func (b back) Accept() (net.Conn, error) {
	select {
	case conn := <-b.conns:
		return conn, nil
	case <-b.closed.Done():
		return nil, net.ErrClosed
	}
}
func (b back) Close() error   { b.close(); return nil }
func (b back) Addr() net.Addr { return &net.TCPAddr{} }

func serveLate(t *testing.T) *lateServer {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	returned := back{conns: make(chan net.Conn)}
	returned.closed, returned.close = context.WithCancel(t.Context())
	s := &lateServer{t: t, addr: listener.Addr().String(), taken: make(chan *endpoint.LateAnswer, 1), ending: &atomic.Bool{}}
	handler := serveWith(t, endpoint.Config{GiveBack: func(c net.Conn) { returned.conns <- c }, Ending: s.ending.Load, Now: time.Now},
		endpoint.Raw(endpoint.About{Route: "GET /events", Who: permit.Anyone, Rate: endpoint.PerUser},
			func(_ context.Context, _ *actor.Actor, in *lateParams, late endpoint.Late) ([]byte, error) {
				if in.Name == "now" {
					return []byte(`{"now":true}`), nil
				}
				answer := late.Take()
				if s.taken <- answer; answer == nil {
					return []byte(`{"late":false}`), nil
				}
				return nil, endpoint.ErrLate
			}))
	s.serving = &http.Server{Handler: handler, ReadHeaderTimeout: 300 * time.Millisecond, IdleTimeout: time.Minute}
	done := make(chan struct{}, 2)
	for _, l := range []net.Listener{listener, returned} {
		go func() {
			_ = s.serving.Serve(l)
			done <- struct{}{}
		}()
	}
	t.Cleanup(func() {
		_ = s.serving.Close()
		<-done
		<-done
	})
	return s
}

// dial connects a client.
func (s *lateServer) dial() (net.Conn, *bufio.Reader) {
	s.t.Helper()
	conn, err := (&net.Dialer{}).DialContext(s.t.Context(), "tcp", s.addr)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
	return conn, bufio.NewReader(conn)
}

func (s *lateServer) ask(conn net.Conn, line string, headers ...string) {
	s.t.Helper()
	headers = append(headers, "Host: "+host, "Authorization: "+basic(key("m")), "X-Request-Id: mine")
	if _, err := io.WriteString(conn, line+"\r\n"+strings.Join(headers, "\r\n")+"\r\n\r\n"); err != nil {
		s.t.Fatal(err)
	}
}

// read reads an answer and gives its header.
func (s *lateServer) read(from *bufio.Reader, status int, body string) http.Header {
	s.t.Helper()
	response, err := http.ReadResponse(from, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	got, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != status || strings.TrimSpace(string(got)) != body {
		s.t.Errorf("%d %s, %v; want %d %s", response.StatusCode, got, err, status, body)
	}
	return response.Header
}

// A connection goes on to serve its client after late answers, as it would after others.
func TestLate(t *testing.T) {
	t.Parallel()
	s := serveLate(t)
	conn, reader := s.dial()
	for i := range 3 {
		s.ask(conn, "GET /api/v1/events HTTP/1.1")
		if i == 1 { // the next request comes before the answer
			s.ask(conn, "GET /api/v1/events?name=now HTTP/1.1")
		}
		answer := <-s.taken
		answer.Answer(t.Context(), []byte(`{"late":true}`), nil, func() {})
		header := s.read(reader, 200, `{"late":true}`)
		for name, want := range map[string]string{
			"Content-Type": "application/json", "X-Request-Id": "mine", "X-Ratelimit-Remaining": "199",
			"Cache-Control": "max-age=0, no-cache, no-store, must-revalidate",
		} {
			if got := header.Get(name); got != want {
				t.Errorf("%s: %q, want %q", name, got, want)
			}
		}
		if date, err := http.ParseTime(header.Get("Date")); err != nil || time.Since(date) > time.Minute {
			t.Errorf("date %v, %v", date, err)
		}
		if i == 1 {
			s.read(reader, 200, `{"now":true}`)
		}
	}
	s.ask(conn, "GET /api/v1/events HTTP/1.1")
	(<-s.taken).Answer(t.Context(), nil, fault.New(fault.Invalid, "GONE", "It is gone"), func() {})
	s.read(reader, 400, `{"result":"error","msg":"It is gone","code":"GONE"}`)
	s.ask(conn, "GET /api/v1/events HTTP/1.1")
	(<-s.taken).Answer(t.Context(), nil, errors.New("broken"), func() {})
	s.read(reader, 500, `{"result":"error","msg":"Internal server error"}`)

	time.Sleep(2 * s.serving.ReadHeaderTimeout) // idle between two requests, as any client may be
	s.ask(conn, "GET /api/v1/events?name=now HTTP/1.1")
	s.read(reader, 200, `{"now":true}`)
}

func TestLateAbandoned(t *testing.T) {
	t.Parallel()
	s := serveLate(t)
	conn, reader := s.dial()
	s.ask(conn, "GET /api/v1/events HTTP/1.1")
	(<-s.taken).Abandon()
	if _, err := reader.ReadByte(); !errors.Is(err, io.EOF) {
		t.Errorf("the connection isn't closed: %v", err)
	}
}

// A client that went away is noticed with its answer, at the latest.
func TestLateClientGone(t *testing.T) {
	t.Parallel()
	s := serveLate(t)
	conn, _ := s.dial()
	s.ask(conn, "GET /api/v1/events HTTP/1.1")
	answer := <-s.taken
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	answer.Answer(t.Context(), []byte(`{}`), nil, func() {})
}

// Where the connection can't outlive the request, the handler has to wait.
func TestLateImpossible(t *testing.T) {
	t.Parallel()
	s := serveLate(t)
	for _, call := range [][]string{
		{"GET /api/v1/events HTTP/1.0"},
		{"GET /api/v1/events HTTP/1.1", "Connection: close"},
		{"HEAD /api/v1/events HTTP/1.1", "Connection: close"},
	} {
		conn, reader := s.dial()
		s.ask(conn, call[0], call[1:]...)
		if answer := <-s.taken; answer != nil {
			t.Fatalf("%v can be answered late", call)
		}
		if call[0][0] == 'G' {
			s.read(reader, 200, `{"late":false}`)
		}
	}
}

// Clients that ask and never read don't hold up anybody, and lose their connections in the end.
func TestLateClientsThatDontRead(t *testing.T) {
	t.Parallel()
	s := serveLate(t)
	const deaf = 20
	large := []byte(`{"large":"` + strings.Repeat("x", 20<<20) + `"}`) // more than any buffer on the way takes
	told := make(chan struct{}, deaf)
	began := time.Now()
	for range deaf {
		conn, _ := s.dial()
		s.ask(conn, "GET /api/v1/events HTTP/1.1")
		(<-s.taken).Answer(t.Context(), large, nil, func() { told <- struct{}{} })
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("%d answers that nobody reads took %v", deaf, took)
	}
	conn, reader := s.dial()
	s.ask(conn, "GET /api/v1/events HTTP/1.1")
	answer := <-s.taken
	began = time.Now()
	heard := make(chan time.Duration, 1)
	answer.Answer(t.Context(), []byte(`{"late":true}`), nil, func() { heard <- time.Since(began) })
	if took := <-heard; took > 200*time.Millisecond {
		t.Errorf("an answer that is read took %v", took)
	}
	s.read(reader, 200, `{"late":true}`)
	for range deaf { // 64 MiB wait, for ten seconds; those beyond that were cut off
		select {
		case <-told:
		case <-time.After(20 * time.Second):
			t.Fatal("a client that never reads keeps its answer for ever")
		}
	}
}

// A client that reads slowly gets all of it.
func TestLateClientReadsSlowly(t *testing.T) {
	t.Parallel()
	s := serveLate(t)
	conn, reader := s.dial()
	s.ask(conn, "GET /api/v1/events HTTP/1.1")
	large := `{"large":"` + strings.Repeat("y", 20<<20) + `"}`
	told := make(chan struct{})
	(<-s.taken).Answer(t.Context(), []byte(large), nil, func() { close(told) })
	select {
	case <-told:
		t.Fatal("all of it went out though nobody reads: the test shows nothing")
	case <-time.After(300 * time.Millisecond):
	}
	s.read(reader, 200, large)
	<-told
	s.ask(conn, "GET /api/v1/events?name=now HTTP/1.1")
	s.read(reader, 200, `{"now":true}`)
}

// A server that is about to end asks for the connection to be closed, and lets its client read first.
func TestLateEnding(t *testing.T) {
	t.Parallel()
	s := serveLate(t)
	conn, reader := s.dial()
	s.ask(conn, "GET /api/v1/events HTTP/1.1")
	s.ask(conn, "GET /api/v1/events HTTP/1.1") // sent before it knows; it must not cost the first answer
	answer := <-s.taken
	s.ending.Store(true)
	answer.Answer(t.Context(), []byte(`{"late":true}`), nil, func() {})
	response, err := http.ReadResponse(reader, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(response.Body); !response.Close || err != nil || string(got) != `{"late":true}` {
		t.Errorf("%v, %s, %v", response.Header, got, err)
	}
	_ = response.Body.Close()
	if _, err := reader.ReadByte(); !errors.Is(err, io.EOF) {
		t.Errorf("the connection isn't closed: %v", err)
	}
	conn, reader = s.dial()
	s.ask(conn, "GET /api/v1/events?name=now HTTP/1.1")
	response, err = http.ReadResponse(reader, nil)
	if err != nil || !response.Close {
		t.Fatalf("%+v, %v", response, err)
	}
	_ = response.Body.Close()
}
