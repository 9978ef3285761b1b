package boot

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// client is a connection to a server.
type client struct {
	t *testing.T
	net.Conn

	from *bufio.Reader
}

// dial connects to a server that responds without reading the body (/leave) and with a large response (/much).
func dial(t *testing.T, limits times, failed chan<- error) client {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/leave", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) })
	mux.HandleFunc("/much", func(w http.ResponseWriter, _ *http.Request) {
		start := time.Now()
		if _, err := w.Write(make([]byte, 64<<20)); err == nil {
			err = fmt.Errorf("it was sent within %v", time.Since(start))
			failed <- err
		} else {
			failed <- nil
		}
	})
	server := httptest.NewUnstartedServer(nil)
	server.Config = newServer(limits, mux, slog.New(slog.DiscardHandler))
	server.Start()
	t.Cleanup(server.Close)
	conn, err := (&net.Dialer{}).DialContext(context.WithoutCancel(t.Context()), "tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	return client{t, conn, bufio.NewReader(conn)}
}

func (c client) send(text string) {
	c.t.Helper()
	if _, err := io.WriteString(c, text); err != nil {
		c.t.Fatal(err)
	}
}

// read reads a response, and reports whether the connection stays open.
func (c client) read(status int) (stays bool) {
	c.t.Helper()
	answer, err := http.ReadResponse(c.from, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, answer.Body); err != nil {
		c.t.Fatal(err)
	}
	_ = answer.Body.Close()
	if answer.StatusCode != status {
		c.t.Errorf("status %d, want %d", answer.StatusCode, status)
	}
	return !answer.Close
}

func (c client) ended() {
	c.t.Helper()
	if _, err := c.from.ReadByte(); err == nil {
		c.t.Error("the connection has more data")
	} else if timeout, ok := err.(net.Error); ok && timeout.Timeout() { //nolint:errorlint // it comes as it is
		c.t.Error("the connection stays open")
	}
}

// head returns the beginning of a request with a body of the given length.
func head(path string, length int) string {
	return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", path, length)
}

// pipe is a listener with one connection.
type pipe struct {
	net.Listener

	conns chan net.Conn
}

func (p pipe) Accept() (net.Conn, error) {
	conn, ok := <-p.conns
	if !ok {
		return nil, http.ErrServerClosed
	}
	return conn, nil
}

func (p pipe) Close() error { return nil }

// inMemory has a server serve one connection in memory, so that its time limits are those of the bubble of the test.
func inMemory(t *testing.T, server *http.Server) client {
	t.Helper()
	conn, far := net.Pipe()
	accepted := pipe{conns: make(chan net.Conn, 1)}
	accepted.conns <- far
	served := make(chan error, 1)
	go func() { served <- server.Serve(accepted) }()
	t.Cleanup(func() {
		_ = conn.Close()
		close(accepted.conns)
		<-served
	})
	return client{t, conn, bufio.NewReader(conn)}
}

// The time for a body is limited, even if it arrives byte by byte.
func TestSlowBody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const limit = 30 * time.Second
		server := newServer(times{body: limit, answer: limit, rate: 1, linger: time.Second}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if _, err := io.Copy(io.Discard, r.Body); err != nil {
				http.Error(w, "the body ended early", http.StatusBadRequest)
			}
		}), slog.New(slog.DiscardHandler))
		c := inMemory(t, server)
		start, sent := time.Now(), make(chan struct{})
		go func() {
			defer close(sent)
			_, err := io.WriteString(c, "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
			for i := 0; err == nil && i < 60; i++ {
				_, err = io.WriteString(c, "1\r\nx\r\n")
				time.Sleep(time.Second)
			}
		}()
		if c.read(http.StatusBadRequest) {
			t.Error("the connection stays open")
		}
		if took := time.Since(start); took < limit || took > limit+2*time.Second {
			t.Errorf("the body had %v", took)
		}
		c.ended()
		<-sent
	})
}

// trickle is a body with the given number of bytes that returns one per read.
type trickle struct{ left int }

func (t *trickle) Read(p []byte) (int, error) {
	if t.left == 0 {
		return 0, io.EOF
	}
	t.left--
	return copy(p[:1], "x"), nil
}

// A body that arrives in tiny parts is read with pauses. Others are read at once, even if some reads return little.
func TestBodyInCrumbs(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		body  io.Reader
		waits int
	}{
		"small pieces": {&trickle{freeReads + 5}, 6}, // five bytes and the end
		"few":          {&trickle{freeReads - 1}, 0},
		"large":        {io.MultiReader(strings.NewReader(strings.Repeat("x", 64<<10)), &trickle{50}), 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				b := &body{ReadCloser: io.NopCloser(test.body), pause: time.Second}
				if _, err := io.Copy(io.Discard, b); err != nil || !b.ended {
					t.Error("the body doesn't end:", err)
				}
				if took := time.Since(start); took != time.Duration(test.waits)*time.Second {
					t.Errorf("it took %v, want %d waits", took, test.waits)
				}
			})
		})
	}
}

// The server doesn't wait for a body that the handler doesn't read.
func TestUnwantedBody(t *testing.T) {
	t.Parallel()
	limits := times{body: time.Hour, answer: time.Hour, rate: 1 << 30, linger: 30 * time.Millisecond}
	c := dial(t, limits, nil)
	for range 2 { // data that have arrived are read, and the connection stays open
		c.send(head("/leave", 5) + "hello")
		if !c.read(http.StatusUnauthorized) {
			t.Fatal("the connection was closed")
		}
	}
	for name, text := range map[string]string{
		"half":    head("/leave", 5) + "he",
		"chunked": "POST /leave HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n",
		"expects": "POST /leave HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n",
		"large":   head("/leave", 1<<30) + strings.Repeat("x", 1<<20),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := dial(t, limits, nil)
			c.send(text)
			if c.read(http.StatusUnauthorized) {
				t.Error("the connection stays open")
			}
			c.ended()
		})
	}
}

// The time limit of a body ends with the body, and affects neither the handler nor the next request. The same is true
// of the time limit of a response.
func TestTimesEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const limit = 30 * time.Second
		server := newServer(times{body: limit, answer: limit, rate: 1 << 30, linger: time.Second}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if _, err := io.Copy(io.Discard, r.Body); err != nil {
				t.Error(err)
			}
			select {
			case <-r.Context().Done():
				t.Error("the handler was abandoned")
			case <-time.After(2 * limit):
			}
			w.WriteHeader(http.StatusOK)
		}), slog.New(slog.DiscardHandler))
		c := inMemory(t, server)
		for range 2 {
			c.send(head("/", 5) + "hello")
			c.read(http.StatusOK)
			c.send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n")
			c.read(http.StatusOK)
			time.Sleep(limit / 2)
			c.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
			c.read(http.StatusOK)
		}
	})
}

// The connection of a client that doesn't receive its response is closed.
func TestSlowReader(t *testing.T) {
	t.Parallel()
	failed := make(chan error, 1)
	c := dial(t, times{body: time.Hour, answer: 300 * time.Millisecond, rate: 1 << 30, linger: 30 * time.Millisecond}, failed)
	c.send("GET /much HTTP/1.1\r\nHost: x\r\n\r\n")
	select {
	case err := <-failed:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(15 * time.Second):
		t.Error("the response is still being sent")
	}
}

// A larger response has more time.
func TestAnswerTime(t *testing.T) {
	t.Parallel()
	set := &deadlines{ResponseWriter: httptest.NewRecorder()}
	start := time.Unix(1000, 0)
	limits := times{answer: 30 * time.Second, rate: 64 << 10}
	limits.bounded(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for range 128 {
			_, _ = w.Write(make([]byte, 64<<10))
		}
	}), func() time.Time { return start }).ServeHTTP(set, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil))
	if got := set.last.Sub(start); got < 155*time.Second || got > 158*time.Second {
		t.Errorf("8 MiB may take %v, want 158 s", got)
	}
}

// Each part of a streamed response has its own time limit.
func TestPartsTime(t *testing.T) {
	t.Parallel()
	set, now := &deadlines{ResponseWriter: httptest.NewRecorder()}, time.Unix(1000, 0)
	limits := times{answer: 30 * time.Second, rate: 64 << 10}
	limits.bounded(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for range 3 {
			_, _ = w.Write([]byte("part"))
			if err := http.NewResponseController(w).Flush(); err != nil {
				t.Error(err)
			}
			if got := set.last.Sub(now); got.Truncate(time.Second) != 30*time.Second {
				t.Errorf("a part may take %v", got)
			}
			now = now.Add(time.Hour)
		}
	}), func() time.Time { return now }).ServeHTTP(set, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil))
}

// A file that the system sends has the same time limit, and only the requested part is sent.
func TestFileTime(t *testing.T) {
	t.Parallel()
	start := time.Unix(1000, 0)
	limits := times{answer: 30 * time.Second, rate: 64 << 10}
	const size = 8 << 20
	for what, c := range map[string]struct {
		from io.Reader
		sent int64
		took time.Duration
	}{
		"all of it": {io.LimitReader(zeros{}, size), size, 158 * time.Second},
		"a part":    {io.LimitReader(zeros{}, sendSize+1), sendSize + 1, 38 * time.Second},
		"shorter":   {io.LimitReader(io.LimitReader(zeros{}, 1000), size), 1000, 34 * time.Second},
		"no limit":  {strings.NewReader(strings.Repeat("x", 2*sendSize)), 2 * sendSize, 42 * time.Second},
		"nothing":   {io.LimitReader(zeros{}, 0), 0, 30 * time.Second},
	} {
		recorder := httptest.NewRecorder()
		set := &deadlines{ResponseWriter: recorder}
		limits.bounded(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if sent, err := io.Copy(w, c.from); sent != c.sent || err != nil {
				t.Errorf("%s: %d bytes were sent, want %d: %v", what, sent, c.sent, err)
			}
		}), func() time.Time { return start }).ServeHTTP(set, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil))
		if got := set.last.Sub(start); got > c.took+time.Second || got < c.took-4*time.Second {
			t.Errorf("%s may take %v, want %v", what, got, c.took)
		}
		if int64(recorder.Body.Len()) != c.sent {
			t.Errorf("%s: %d bytes arrived", what, recorder.Body.Len())
		}
	}
}

// An archive of an organization may have more bytes than a duration in nanoseconds has seconds.
func TestHugeAnswerTime(t *testing.T) {
	t.Parallel()
	set, start := &deadlines{ResponseWriter: httptest.NewRecorder()}, time.Unix(1000, 0)
	e := &exchange{ResponseWriter: set, times: times{rate: 64 << 10}, began: start, sent: 10 << 30}
	e.extend()
	if got, want := set.last.Sub(start), 10<<30/(64<<10)*time.Second; got != want {
		t.Errorf("10 GiB may take %v, want %v", got, want)
	}
}

// zeros is an endless file.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// deadlines records the deadlines.
type deadlines struct {
	http.ResponseWriter

	last time.Time
}

// Unwrap is for http.ResponseController, too.
func (d *deadlines) Unwrap() http.ResponseWriter { return d.ResponseWriter }

// SetWriteDeadline is for http.ResponseController.
func (d *deadlines) SetWriteDeadline(by time.Time) error {
	d.last = by
	return nil
}
