package longpoll_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"chatserver.dev/pkg/longpoll"
)

// world is an http.Server whose polls leave it if they have wait=1.
type world struct {
	t     *testing.T
	addr  string
	polls *longpoll.Server
	left  atomic.Int64 // connections that have left package http
	back  atomic.Int64 // and that have been returned
	news  chan string  // answers a waiting poll
	seen  chan string  // what a request was
}

func start(t *testing.T, idle time.Duration) *world {
	t.Helper()
	return startWith(t, longpoll.Config{Idle: idle, Now: time.Now})
}

// startWith starts a server with limits and a clock.
func startWith(t *testing.T, config longpoll.Config) *world {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, addr: listener.Addr().String(), news: make(chan string), seen: make(chan string, 100)}
	returned := longpoll.NewReturnListener(listener.Addr())
	config.Path, config.Logger = "/poll", slog.New(slog.DiscardHandler)
	config.HandBack = func(c net.Conn) {
		w.back.Add(1)
		returned.HandBack(c)
	}
	w.polls = longpoll.New(context.WithoutCancel(t.Context()), config)
	w.polls.Handle(http.HandlerFunc(w.poll))
	mux := http.NewServeMux()
	mux.HandleFunc("/poll", w.poll)
	mux.HandleFunc("/other", func(writer http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_, _ = fmt.Fprintf(writer, "other %s %s", r.Method, body)
	})
	server := &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute, ConnState: func(_ net.Conn, to http.ConnState) {
		if to == http.StateHijacked {
			w.left.Add(1)
		}
	}}
	done := make(chan struct{}, 2)
	for _, l := range []net.Listener{listener, returned} {
		go func() {
			_ = server.Serve(l)
			done <- struct{}{}
		}()
	}
	t.Cleanup(func() {
		_ = server.Close()
		<-done
		<-done
		ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
		cancel()
		w.polls.Shutdown(ctx)
	})
	return w
}

// poll responds at once, or with the next news.
func (w *world) poll(writer http.ResponseWriter, r *http.Request) {
	w.seen <- fmt.Sprintf("%s %s %s %s %v", r.Method, r.Host, r.URL, r.RequestURI, r.Header["X-Test"])
	writer.Header().Set("X-Number", r.URL.Query().Get("n"))
	if r.URL.Query().Get("last") != "" {
		writer.Header().Set("Connection", "close")
	}
	switch {
	case r.URL.Query().Get("panic") == "1":
		panic(http.ErrAbortHandler)
	case r.URL.Query().Get("panic") != "":
		panic("oh")
	case r.URL.Query().Get("silent") != "":
		return
	case r.URL.Query().Get("wait") == "":
		_, _ = io.WriteString(writer, "now")
		return
	}
	answer := func(ctx context.Context, writer http.ResponseWriter) {
		select {
		case news := <-w.news:
			if news == "unavailable" {
				writer.WriteHeader(http.StatusServiceUnavailable)
			}
			_, _ = io.WriteString(writer, news)
		case <-ctx.Done():
		}
	}
	if !w.polls.Take(writer, r, blocking(answer)) {
		writer.Header().Set("X-Stayed", "yes")
		answer(r.Context(), writer)
	}
}

// blocking returns an Answer that waits in its goroutine.
func blocking(answer func(ctx context.Context, w http.ResponseWriter)) longpoll.Answer {
	return func(ctx context.Context, w http.ResponseWriter, _ func()) bool {
		answer(ctx, w)
		return true
	}
}

// client is a connection.
type client struct {
	*world
	net.Conn
	reader *bufio.Reader
}

func (w *world) dial() *client {
	w.t.Helper()
	conn, err := (&net.Dialer{}).DialContext(w.t.Context(), "tcp", w.addr)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	return &client{w, conn, bufio.NewReader(conn)}
}

// write sends raw bytes.
func (c *client) write(raw string) {
	c.t.Helper()
	if _, err := io.WriteString(c.Conn, raw); err != nil {
		c.t.Fatal(err)
	}
}

// get returns a complete request.
func get(target string, fields ...string) string {
	return "GET " + target + " HTTP/1.1\r\n" + strings.Join(append([]string{"Host: chat.example"}, fields...), "\r\n") + "\r\n\r\n"
}

// read reads a response.
func (c *client) read(status int, want string) http.Header {
	c.t.Helper()
	response, err := http.ReadResponse(c.reader, nil)
	if err != nil {
		c.t.Fatalf("%v, want %d %s", err, status, want)
	}
	defer func() { _ = response.Body.Close() }()
	got, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != status || string(got) != want {
		c.t.Errorf("%d %s, %v; want %d %s", response.StatusCode, got, err, status, want)
	}
	if response.Close {
		response.Header.Set("Connection", "close")
	}
	return response.Header
}

// ended waits until the connection is closed.
func (c *client) ended() {
	c.t.Helper()
	if b, err := c.reader.ReadByte(); !errors.Is(err, io.EOF) && !strings.Contains(fmt.Sprint(err), "reset") {
		c.t.Errorf("the connection isn't closed: %q, %v", b, err)
	}
}

// park makes the client's poll leave package http.
func (c *client) park(fields ...string) {
	c.t.Helper()
	left := c.left.Load()
	c.write(get("/poll?wait=1&n=0", fields...))
	for c.left.Load() == left {
		time.Sleep(time.Millisecond)
	}
	<-c.seen
}
