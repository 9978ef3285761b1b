package longpoll_test

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"chatserver.dev/pkg/longpoll"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A connection that has left continues polling outside of package http, whatever its responses are.
func TestPolling(t *testing.T) {
	t.Parallel()
	w := start(t, time.Minute)
	c := w.dial()
	c.park("X-Test: a")
	w.news <- "first"
	header := c.read(200, "first")
	if date, err := http.ParseTime(header.Get("Date")); err != nil || time.Since(date) > time.Minute || header.Get("X-Number") != "0" {
		t.Errorf("header %v, %v", header, err)
	}
	for i, status := range []int{200, 503, 200} {
		c.write(get(fmt.Sprintf("/poll?wait=1&n=%d", i), "X-Test: a"))
		w.news <- map[int]string{200: "more", 503: "unavailable"}[status]
		if got := c.read(status, map[int]string{200: "more", 503: "unavailable"}[status]); got.Get("X-Number") != strconv.Itoa(i) || got.Get("X-Stayed") != "" {
			t.Errorf("header %v", got)
		}
		if got, want := <-w.seen, fmt.Sprintf("GET chat.example /poll?wait=1&n=%d /poll?wait=1&n=%d [a]", i, i); got != want {
			t.Errorf("the handler got %s, want %s", got, want)
		}
	}
	c.write(get("/poll?n=4", "X-Test: b")) // a different header
	c.read(200, "now")
	if got := <-w.seen; !strings.HasSuffix(got, "[b]") {
		t.Errorf("the handler got %s", got)
	}
	if w.left.Load() != 1 || w.back.Load() != 0 {
		t.Errorf("left %d, back %d", w.left.Load(), w.back.Load())
	}
}

// A body is never taken for the next request, neither after the first poll of a connection nor after a later one.
// Bytes after a bare LF aren't lost.
func TestFraming(t *testing.T) {
	t.Parallel()
	inner := get("/other")
	for name, test := range map[string]struct{ fields, rest, then string }{
		"Content-Length": {fmt.Sprintf("Content-Length: %d\r\n", len(inner)), inner, ""},
		"chunked":        {"Transfer-Encoding: chunked\r\n", fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(inner), inner), ""},
		"Expect":         {fmt.Sprintf("Expect: 100-continue\r\nContent-Length: %d\r\n", len(inner)), inner, ""},
		"bare LF":        {"", "", "other GET "},
	} {
		for _, first := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, first %v", name, first), func(t *testing.T) {
				t.Parallel()
				w := start(t, time.Minute)
				c := w.dial()
				if !first {
					c.park()
					w.news <- "parked"
					c.read(200, "parked")
				}
				if name == "bare LF" {
					c.write("GET /poll?wait=1&n=1 HTTP/1.1\r\nHost: chat.example\r\n\n" + inner)
				} else {
					c.write("GET /poll?wait=1&n=1 HTTP/1.1\r\nHost: chat.example\r\n" + test.fields + "\r\n" + test.rest)
				}
				<-w.seen
				w.news <- "news"
				c.read(200, "news")
				if test.then != "" {
					c.read(200, test.then)
				}
				if name == "Expect" { // package http has asked for no body, so the next bytes are ambiguous
					c.ended()
					return
				}
				c.write("GET /other HTTP/1.1\r\nHost: chat.example\r\nConnection: close\r\n\r\n")
				c.read(200, "other GET ")
				c.ended()
			})
		}
	}
}

// All other requests are returned completely to package http, which responds.
func TestGivingBack(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		raw    []string // with a pause after each one
		status int
		want   string
	}{
		"another path":       {[]string{get("/other")}, 200, "other GET "},
		"another method":     {[]string{"POST /other HTTP/1.1\r\nHost: chat.example\r\nContent-Length: 5\r\n\r\nhello"}, 200, "other POST hello"},
		"a body":             {[]string{"GET /poll?n=1 HTTP/1.1\r\nHost: chat.example\r\nContent-Length: 5\r\n\r\nhello"}, 200, "now"},
		"chunks":             {[]string{"GET /poll?n=1 HTTP/1.1\r\nHost: chat.example\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"}, 200, "now"},
		"half of a head":     {[]string{"GET /poll?n=1 HT", "TP/1.1\r\nHost: chat.example\r\n\r\n"}, 200, "now"},
		"a long head":        {[]string{get("/poll?n=1", "X-Test: "+strings.Repeat("x", 6000))}, 200, "now"},
		"no host":            {[]string{"GET /poll?n=1 HTTP/1.1\r\nX-Test: a\r\n\r\n"}, 400, "400 Bad Request: missing required Host header"},
		"nonsense":           {[]string{"what is this\r\n\r\n"}, 400, "400 Bad Request"},
		"a wrong field":      {[]string{get("/poll?n=1", "X Test: a")}, 400, "400 Bad Request: invalid header name"},
		"a wrong value":      {[]string{get("/poll?n=1", "X-Test: \x01")}, 400, "400 Bad Request"},
		"a target elsewhere": {[]string{get("http://chat.example/poll?n=1")}, 200, "now"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := start(t, time.Minute)
			c := w.dial()
			c.park()
			w.news <- "first"
			c.read(200, "first")
			for _, part := range test.raw {
				c.write(part)
				time.Sleep(20 * time.Millisecond)
			}
			c.read(test.status, test.want)
			if w.back.Load() != 1 {
				t.Errorf("it came back %d times", w.back.Load())
			}
			if test.status != http.StatusOK {
				return
			}
			c.park() // it may leave again
			w.news <- "second"
			c.read(200, "second")
		})
	}
}

// Requests that arrive before the response wait for it, in order.
func TestPipelining(t *testing.T) {
	t.Parallel()
	w := start(t, time.Minute)
	c := w.dial()
	c.park()
	c.write(get("/poll?n=1") + get("/poll?wait=1&n=2") + get("/other"))
	w.news <- "zero"
	c.read(200, "zero")
	c.read(200, "now")
	w.news <- "two"
	c.read(200, "two")
	c.read(200, "other GET ")
}

// If a connection can't continue after its request, the handler responds directly.
func TestStaying(t *testing.T) {
	t.Parallel()
	w := start(t, time.Minute)
	for _, request := range []string{get("/poll?wait=1", "Connection: close"), "GET /poll?wait=1 HTTP/1.0\r\nHost: chat.example\r\n\r\n"} {
		c := w.dial()
		c.write(request)
		w.news <- "news"
		if header := c.read(200, "news"); header.Get("X-Stayed") != "yes" {
			t.Errorf("header %v", header)
		}
		c.ended()
	}
}

// The number of connections that leave package http is limited. Another one stays, and leaves when the number is
// lower.
func TestMost(t *testing.T) {
	t.Parallel()
	w := startWith(t, longpoll.Config{Idle: time.Minute, Now: time.Now, MaxConns: 2})
	parked := []*client{w.dial(), w.dial()}
	for _, c := range parked {
		c.park()
		w.news <- "news"
		c.read(200, "news")
	}
	c := w.dial()
	stays := func() bool {
		c.write(get("/poll?wait=1"))
		<-w.seen
		w.news <- "news"
		return c.read(200, "news").Get("X-Stayed") == "yes"
	}
	for range 2 {
		if !stays() {
			t.Error("too many have left")
		}
	}
	_ = parked[0].Close()
	for by := time.Now().Add(time.Minute); stays(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(by) {
			t.Fatal("it doesn't leave")
		}
	}
}

// A disconnected client is noticed when its response is written, and the connection of an idle client is closed.
func TestEnds(t *testing.T) {
	t.Parallel()
	w := start(t, 100*time.Millisecond)
	c := w.dial()
	c.park()
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	w.news <- "for nobody"
	c = w.dial()
	c.park()
	w.news <- "first"
	c.read(200, "first")
	c.ended()
	for _, target := range []string{"/poll?panic=1", "/poll?panic=2", "/poll?silent=1"} {
		c = w.dial()
		c.park()
		w.news <- "first"
		c.read(200, "first")
		c.write(get(target))
		c.ended()
	}
}

// A client that doesn't read doesn't block others.
func TestNotReading(t *testing.T) {
	t.Parallel()
	later := func() time.Time { return time.Now().Add(time.Hour) } // the time by which writes to the clients end
	w := startWith(t, longpoll.Config{Idle: time.Minute, Now: later})
	large := strings.Repeat("x", 16<<20) // more than the kernel's buffers
	for range 8 {
		w.dial().park()
		w.news <- large
	}
	c := w.dial()
	c.park()
	w.news <- "small"
	c.read(200, "small") // within a minute, while the others are still written to
}

// At shutdown, responses announce that they are the last, idle connections are closed at once, and others after their
// response.
func TestShutdown(t *testing.T) {
	t.Parallel()
	w := start(t, time.Minute)
	idle, waits, leaves := w.dial(), w.dial(), w.dial()
	for _, c := range []*client{idle, leaves} {
		c.park()
		w.news <- "first"
		c.read(200, "first")
	}
	leaves.write(get("/poll?n=1&last=1"))
	if header := leaves.read(200, "now"); header.Get("Connection") != "close" {
		t.Errorf("header %v", header)
	}
	leaves.ended()
	waits.park()
	done := make(chan struct{})
	go func() { defer close(done); w.polls.Shutdown(t.Context()) }()
	idle.ended()
	select {
	case <-done:
		t.Error("Shutdown returned before a poll was answered")
	case <-time.After(20 * time.Millisecond):
	}
	w.news <- "last"
	if header := waits.read(200, "last"); header.Get("Connection") != "close" {
		t.Errorf("header %v", header)
	}
	waits.ended()
	<-done
}

// If a client sends more before it reads the last response, it still receives the response.
func TestLinger(t *testing.T) {
	t.Parallel()
	w := start(t, time.Minute)
	c := w.dial()
	c.park()
	w.news <- "first"
	c.read(200, "first")
	large := strings.Repeat("x", 1<<20)
	c.write(get("/poll?wait=1&last=1"))
	<-w.seen
	w.news <- large
	c.write(get("/poll?n=1"))
	time.Sleep(50 * time.Millisecond)
	c.read(200, large)
	c.ended()
}

// Shutdown doesn't wait longer than its context.
func TestShutdownCutsOff(t *testing.T) {
	t.Parallel()
	w := start(t, time.Minute)
	c := w.dial()
	c.park()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	w.polls.Shutdown(ctx)
	c.ended()
	late := w.dial()
	late.write(get("/poll?wait=1"))
	w.news <- "stays"
	late.read(200, "stays")
}

// Values in a header can't end it.
func TestHeaderValues(t *testing.T) {
	t.Parallel()
	w := start(t, time.Minute)
	c := w.dial()
	c.park()
	w.news <- "first"
	c.read(200, "first")
	c.write(get("/poll?n=a%0d%0aX-Other:%20b"))
	if header := c.read(200, "now"); header.Get("X-Other") != "" || header.Get("X-Number") != "a  X-Other: b" {
		t.Errorf("header %v", header)
	}
}
