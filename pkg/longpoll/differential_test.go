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
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"chatserver.dev/pkg/longpoll"
)

// FuzzConnection compares the responses on whole connections from a plain http.Server and from one whose polls leave
// it. The bytes are split into pieces as given by cuts, see cutting.
func FuzzConnection(f *testing.F) {
	for _, request := range requests {
		for _, cuts := range [][]byte{nil, {20}, {200, 3}} {
			f.Add(request.text+waits+other, cuts)
			f.Add(waits+request.text+now+other, cuts)
			f.Add(waits+request.text+request.text+waits, cuts)
		}
	}
	f.Fuzz(func(t *testing.T, sent string, cuts []byte) {
		if len(strings.Replace(sent, tooLarge, "", 1)) > maxHead {
			return // whether package http accepts a head of about that size depends on timing
		}
		if difference := compare(t, cutting(sent, cuts)); difference != "" {
			t.Errorf("sent %.3000q, cuts %v; %s", sent, cuts, difference)
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
		if difference := compare(t, cutting(all.String(), cuts)); difference != "" {
			r.Fatalf("sent %.3000q, cuts %v; %s", all.String(), cuts, difference)
		}
	})
}

// A poll that differs from the previous one only in its number isn't parsed. Any other poll is.
func TestAgain(t *testing.T) {
	t.Parallel()
	poll := func(query string, fields ...string) string { return get("/poll?"+query, fields...) }
	for name, test := range map[string]struct {
		requests []string // after the first, which package http has read
		again    int
	}{
		"another number":      {[]string{poll("a=b&wait=1&c"), poll("a=b&wait=234567&c")}, 1},
		"a negative number":   {[]string{poll("wait=1"), poll("wait=-1")}, 1},
		"the same":            {[]string{poll("wait=1"), poll("wait=1")}, 1},
		"another parameter":   {[]string{poll("wait=1&a=b"), poll("wait=2&a=c")}, 0},
		"another order":       {[]string{poll("wait=1&a=b"), poll("a=b&wait=1")}, 0},
		"more parameters":     {[]string{poll("wait=1"), poll("wait=2&a=b")}, 0},
		"a field more":        {[]string{poll("wait=1"), poll("wait=2", "X-Test: a")}, 0},
		"a field less":        {[]string{poll("wait=1", "X-Test: a"), poll("wait=2")}, 0},
		"another value":       {[]string{poll("wait=1", "X-Test: a"), poll("wait=2", "X-Test: b")}, 0},
		"no number":           {[]string{poll("wait=1"), poll("wait=")}, 0},
		"not a number":        {[]string{poll("wait=1"), poll("wait=1a")}, 0},
		"a plus":              {[]string{poll("wait=1"), poll("wait=+1")}, 0},
		"another spelling":    {[]string{poll("wait=1"), poll("wait=01")}, 0},
		"a large number":      {[]string{poll("wait=1"), poll("wait=1000000000000000000")}, 0},
		"no number before":    {[]string{poll("wait=a"), poll("wait=1")}, 0},
		"the number twice":    {[]string{poll("wait=1&wait=2"), poll("wait=1&wait=3")}, 0},
		"an escaped name":     {[]string{poll("wait=1&%77ait=2"), poll("wait=2&%77ait=2")}, 0},
		"a name with a blank": {[]string{poll("wait=1&a+b=2"), poll("wait=2&a+b=2")}, 0},
		"another request":     {[]string{poll("wait=1"), poll("wait=2"), other, poll("wait=3")}, 1},
	} {
		patiently := func(to io.Writer) { // each after the previous response
			for _, request := range append(test.requests[:1:1], test.requests...) {
				_, _ = io.WriteString(to, request)
				time.Sleep(5 * time.Second)
			}
		}
		synctest.Test(t, func(t *testing.T) {
			if got := talk(t, patiently, true).again; got != test.again {
				t.Errorf("%s: %d polls weren't parsed", name, got)
			}
		})
		if difference := compare(t, patiently); difference != "" {
			t.Errorf("%s: %s", name, difference)
		}
	}
}

// The polls of the tests above leave package http if their names say so. Otherwise the tests would compare nothing.
func TestRequestsPark(t *testing.T) {
	t.Parallel()
	for _, request := range requests {
		synctest.Test(t, func(t *testing.T) {
			if left := talk(t, cutting(request.text, nil), true).left; (left > 0) != request.leaves {
				t.Errorf("%s: %d connections left package http", request.name, left)
			}
		})
	}
}

// compare sends the same bytes to both servers and returns the difference of their responses.
func compare(t *testing.T, send func(to io.Writer)) (difference string) {
	t.Helper()
	var plain, parks dialogue
	synctest.Test(t, func(t *testing.T) { plain = talk(t, send, false) })
	synctest.Test(t, func(t *testing.T) { parks = talk(t, send, true) })
	if difference := cmp.Diff(plain.transcript, parks.transcript); difference != "" {
		return "package http -, longpoll +:\n" + difference
	}
	return ""
}

// transcript is the observable behavior of a connection.
type transcript struct {
	Requests []string // as the handler received them
	Answers  []string
	Ended    string // how long after the last response the server ended the connection; empty: it is open
}

// dialogue is a connection in a bubble of package synctest. Time passes when all goroutines wait for it.
type dialogue struct {
	transcript
	polls    *longpoll.Server // nil: polls stay in package http
	left     int              // how often the connection left package http
	again    int              // how many polls were handled without parsing
	received bytes.Buffer
}

// talk sends bytes to a new server and returns its responses.
func talk(t *testing.T, send func(to io.Writer), parks bool) dialogue {
	t.Helper()
	const long = 24 * time.Hour // longer than the conversation
	d, quiet := &dialogue{}, slog.New(slog.DiscardHandler)
	fresh, returned := longpoll.NewReturnListener(nil), longpoll.NewReturnListener(nil)
	if parks {
		d.polls = longpoll.New(context.WithoutCancel(t.Context()), longpoll.Config{Path: "/poll", Number: "wait", HandBack: returned.HandBack, Idle: long, Now: time.Now, Logger: quiet})
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
	running.Go(func() { send(answers) })
	time.Sleep(time.Hour)
	synctest.Wait()
	result := dialogue{transcript: d.transcript, left: d.left, again: d.again}
	// Requests that wait for bytes are answered as long as the client reads.
	_ = answers.CloseWrite()
	synctest.Wait()
	_ = answers.Close()
	_ = server.Close()
	if parks {
		d.polls.Shutdown(t.Context())
	}
	running.Wait()
	result.Answers = read(t, &d.received)
	return result
}

// cutting sends pieces with the lengths in cuts, repeatedly. A piece with an odd length is sent a second after the
// previous one was due.
func cutting(sent string, cuts []byte) func(to io.Writer) {
	return func(to io.Writer) { cut(to, sent, cuts) }
}

func cut(to io.Writer, sent string, cuts []byte) {
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

// read returns the content of the responses.
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
		response.Header.Del("Content-Length") // package http sends large responses in chunks
		answers = append(answers, fmt.Sprintf("%s %s close=%v %v %q %v", response.Proto, response.Status, response.Close, response.Header, body, err))
	}
}

// ServeHTTP implements http.Handler. It responds to waiting polls after a second, and to everything else at once.
func (d *dialogue) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	poll, query := r.URL.Path == "/poll", r.URL.RawQuery
	body, err := []byte(nil), error(nil)
	if !poll {
		body, err = io.ReadAll(r.Body)
	}
	text := d.note(r, body, err)
	header := func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Set("X-Method", r.Method)
		if strings.Contains(query, "last") {
			w.Header().Set("Connection", "close")
		}
	}
	header(w)
	answer := func(_ context.Context, w http.ResponseWriter) {
		longpoll.Again(w, func(number int64) bool {
			r = repeated(r, number)
			text = d.note(r, nil, nil)
			d.again++
			return true
		})
		header(w)
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

// note records a request as a handler sees it, and returns the text of the response.
func (d *dialogue) note(r *http.Request, body []byte, err error) (text string) {
	d.Requests = append(d.Requests, fmt.Sprintf("%s %s %s %s %s length=%d %v close=%v %v %v from %s %q %v",
		r.Method, r.RequestURI, r.URL, r.Proto, r.Host, r.ContentLength, r.TransferEncoding, r.Close, r.Header, r.Trailer, r.RemoteAddr, body, err))
	text = fmt.Sprintf("%d %s", len(d.Requests), r.RequestURI)
	if strings.Contains(r.URL.RawQuery, "large") {
		text = strings.Repeat(text, 1000)
	}
	return text
}

var waitNumber = regexp.MustCompile(`([?&]wait=)-?[0-9]+`)

// repeated returns a poll with another number.
func repeated(r *http.Request, number int64) *http.Request {
	r = r.Clone(r.Context())
	r.RequestURI = waitNumber.ReplaceAllString(r.RequestURI, "${1}"+strconv.FormatInt(number, 10))
	_, r.URL.RawQuery, _ = strings.Cut(r.RequestURI, "?")
	return r
}

// socket is a connection in memory that can be closed for writing only, as TCP connections can.
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
