package longpoll_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"chatserver.dev/pkg/longpoll"
)

// Whole connections get the same answers from a plain http.Server and from one whose polls leave it. The bytes
// are cut into pieces as cuts says, see send.
func FuzzConnection(f *testing.F) {
	for _, request := range requests {
		for _, cuts := range [][]byte{nil, {20}, {200, 3}} {
			f.Add(request.text+waits+other, cuts)
			f.Add(waits+request.text+now+other, cuts)
		}
	}
	f.Fuzz(func(t *testing.T, sent string, cuts []byte) {
		if len(strings.Replace(sent, tooLarge, "", 1)) > maxHead {
			return // whether package http takes a head of about that size depends on when it comes
		}
		if difference := compare(t, sent, cuts); difference != "" {
			t.Error(difference)
		}
	})
}

// Any requests may follow each other, in any pieces.
func TestConnections(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		all := strings.Builder{}
		for _, request := range rapid.SliceOfN(rapid.SampledFrom(requests), 1, 8).Draw(r, "requests") {
			all.WriteString(request.text)
		}
		cuts := rapid.SliceOfN(rapid.Byte(), 0, 6).Draw(r, "cuts")
		if difference := compare(t, all.String(), cuts); difference != "" {
			r.Fatal(difference)
		}
	})
}

// The requests of the tests above do what their names say; without that they would compare nothing.
func TestRequestsPark(t *testing.T) {
	t.Parallel()
	for _, request := range requests {
		synctest.Test(t, func(t *testing.T) {
			if left := talk(t, request.text, nil, true).left; (left > 0) != request.leaves {
				t.Errorf("%s: %d connections left package http", request.name, left)
			}
		})
	}
}

// compare sends the same bytes to both servers and returns what differs.
func compare(t *testing.T, sent string, cuts []byte) (difference string) {
	t.Helper()
	var plain, parks dialogue
	synctest.Test(t, func(t *testing.T) { plain = talk(t, sent, cuts, false) })
	synctest.Test(t, func(t *testing.T) { parks = talk(t, sent, cuts, true) })
	if difference := cmp.Diff(plain.transcript, parks.transcript); difference != "" {
		return fmt.Sprintf("sent %.3000q, cuts %v; package http -, longpoll +:\n%s", sent, cuts, difference)
	}
	return ""
}

// transcript is everything that is seen of a connection.
type transcript struct {
	Requests []string // as the handler saw them
	Answers  []string
	Ended    string // how long after the last answer the server ended the connection; empty: it is open
}

// dialogue is a connection in a bubble of package synctest. Time passes when everybody waits for it.
type dialogue struct {
	transcript
	polls    *longpoll.Server // nil: polls stay
	left     int              // how often the connection left package http
	received bytes.Buffer
}

// talk sends bytes to a server of its own.
func talk(t *testing.T, sent string, cuts []byte, parks bool) dialogue {
	t.Helper()
	const long = 24 * time.Hour // longer than the conversation
	d, quiet := &dialogue{}, slog.New(slog.DiscardHandler)
	fresh, returned := longpoll.NewReturnListener(nil), longpoll.NewReturnListener(nil)
	if parks {
		d.polls = longpoll.New(context.WithoutCancel(t.Context()), longpoll.Config{Path: "/poll", HandBack: returned.HandBack, Idle: long, Now: time.Now, Logger: quiet})
		d.polls.Handle(d)
	}
	server := &http.Server{
		Handler: d, MaxHeaderBytes: maxHead - 4<<10, ReadHeaderTimeout: long, ErrorLog: slog.NewLogLogger(quiet.Handler(), slog.LevelInfo),
		ConnState: func(_ net.Conn, to http.ConnState) {
			if to == http.StateHijacked {
				d.left++
			}
		},
	}
	running := sync.WaitGroup{}
	for _, listener := range []net.Listener{fresh, returned} {
		running.Go(func() { _ = server.Serve(listener) })
	}
	requests, answers := socketPair()
	fresh.HandBack(requests)
	running.Go(func() {
		last := time.Now()
		for piece := make([]byte, 4<<10); ; last = time.Now() {
			n, err := answers.Read(piece)
			if err != nil {
				d.Ended = time.Since(last).String()
				return
			}
			d.received.Write(piece[:n])
		}
	})
	running.Go(func() { send(answers, sent, cuts) })
	time.Sleep(time.Hour)
	synctest.Wait()
	result := dialogue{transcript: d.transcript, left: d.left}
	_ = answers.Close()
	_ = server.Close()
	if parks {
		d.polls.Shutdown(t.Context())
	}
	running.Wait()
	result.Answers = read(t, &d.received)
	return result
}

// send writes pieces as long as the numbers in cuts say, again and again; where a number is odd, a second after
// the piece before was due.
func send(to io.Writer, sent string, cuts []byte) {
	due := time.Now()
	for i := 0; sent != ""; i++ {
		n := len(sent)
		if len(cuts) > 0 {
			cut := int(cuts[i%len(cuts)])
			n = min(n, 1+cut)
			due = due.Add(time.Duration(cut%2) * time.Second)
		}
		time.Sleep(time.Until(due))
		if _, err := io.WriteString(to, sent[:n]); err != nil {
			return
		}
		sent = sent[n:]
	}
}

// read returns what the answers say.
func read(t *testing.T, received *bytes.Buffer) (answers []string) {
	t.Helper()
	from := bufio.NewReaderSize(received, received.Len()+16)
	for {
		rest, _ := from.Peek(from.Size())
		if len(rest) == 0 {
			return answers
		}
		request := &http.Request{Method: http.MethodGet}
		if head, _, _ := bytes.Cut(rest, []byte("\r\n\r\n")); bytes.Contains(head, []byte("X-Method: HEAD")) {
			request.Method = http.MethodHead
		}
		response, err := http.ReadResponse(from, request)
		if err != nil {
			return append(answers, fmt.Sprintf("%v in %q", err, rest))
		}
		body, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		response.Header.Del("Content-Length") // package http sends large answers in chunks
		answers = append(answers, fmt.Sprintf("%s %s close=%v %v %q %v", response.Proto, response.Status, response.Close, response.Header, body, err))
	}
}

// ServeHTTP implements http.Handler: polls that wait are answered after a second, everything else at once.
func (d *dialogue) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	poll, query := r.URL.Path == "/poll", r.URL.RawQuery
	body, err := []byte(nil), error(nil)
	if !poll {
		body, err = io.ReadAll(r.Body)
	}
	d.Requests = append(d.Requests, fmt.Sprintf("%s %s %s %s %s length=%d %v close=%v %v %v from %s %q %v",
		r.Method, r.RequestURI, r.URL, r.Proto, r.Host, r.ContentLength, r.TransferEncoding, r.Close, r.Header, r.Trailer, r.RemoteAddr, body, err))
	w.Header().Set("Content-Type", "text/plain")
	w.Header().Set("X-Method", r.Method)
	if strings.Contains(query, "last") {
		w.Header().Set("Connection", "close")
	}
	text := fmt.Sprintf("%d %s", len(d.Requests), r.RequestURI)
	if strings.Contains(query, "large") {
		text = strings.Repeat(text, 1000)
	}
	answer := func(_ context.Context, w http.ResponseWriter) {
		for range strings.Count(query, "part") {
			time.Sleep(time.Second)
			_, _ = io.WriteString(w, text)
			_ = http.NewResponseController(w).Flush()
		}
		time.Sleep(time.Second)
		_, _ = io.WriteString(w, text)
	}
	switch {
	case !poll || !strings.Contains(query, "wait"):
		_, _ = io.WriteString(w, text)
	case d.polls == nil || !d.polls.Take(w, r, blocking(answer)):
		answer(r.Context(), w)
	}
}

// socket is a connection in memory that can be closed for writing alone, as those of TCP.
type socket struct {
	net.Conn // for reading
	to       net.Conn
}

func socketPair() (a, b socket) {
	ab, ba := net.Pipe()
	cd, dc := net.Pipe()
	return socket{ab, cd}, socket{dc, ba}
}

func (s socket) Write(p []byte) (int, error)        { return s.to.Write(p) }
func (s socket) CloseWrite() error                  { return s.to.Close() }
func (s socket) SetWriteDeadline(t time.Time) error { return s.to.SetWriteDeadline(t) }

func (s socket) SetDeadline(t time.Time) error {
	_ = s.to.SetWriteDeadline(t)
	return s.SetReadDeadline(t)
}

func (s socket) Close() error {
	_ = s.to.Close()
	return s.Conn.Close()
}
