package boot

import (
	"errors"
	"io"
	"math"
	"net/http"
	"time"
)

// times limit how long a client may take. Headers of requests and idle connections have limits of their own.
type times struct {
	// body is the time to send a request, including its body.
	body time.Duration
	// answer is the time to receive an answer, plus a second for each rate bytes of it.
	answer time.Duration
	rate   int
	// linger is how long the rest of an unread body is read, so that its client has time to read the answer.
	linger time.Duration
	// pause is the pause before each read of a body that arrives in small pieces.
	pause time.Duration
}

const (
	// freeReads is how many reads of a body may return any number of bytes before their average counts.
	freeReads = 8
	// smallRead is the average number of bytes of a read below which a body is said to arrive in small pieces.
	smallRead = 256
	// sendSize is how many bytes of a file are sent at once.
	sendSize = 256 << 10
)

// clientTimes returns the limits of all listeners.
func clientTimes() times {
	return times{body: 30 * time.Second, answer: 30 * time.Second, rate: 64 << 10, linger: 500 * time.Millisecond, pause: 100 * time.Millisecond}
}

// bounded keeps clients from holding a connection by receiving an answer slowly, or by not sending a body that no
// handler reads. Reading a body is limited by http.Server.ReadTimeout, which ends with the body: a handler may take
// longer, and so may polls.
func (t times) bounded(next http.Handler, now func() time.Time) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e := &exchange{ResponseWriter: w, times: t, now: now}
		if r.ContentLength != 0 { // -1: unknown
			e.body = &body{ReadCloser: r.Body, pause: t.pause}
			e.expects = r.Header.Get("Expect") != ""
			r = r.WithContext(r.Context())
			r.Body = e.body
		}
		next.ServeHTTP(e, r)
	})
}

// body is a request's body that records whether it was read to its end. If it arrives in small pieces, there is a pause before
// each read: otherwise each byte of a slow client wakes the process, and a hundred such clients wake it thousands of times a
// second.
type body struct {
	io.ReadCloser

	pause time.Duration
	reads int
	bytes int // returned by reads
	ended bool
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	if b.reads >= freeReads && b.bytes < b.reads*smallRead {
		time.Sleep(b.pause)
	}
	n, err := b.ReadCloser.Read(p)
	b.reads++
	b.bytes += n
	b.ended = b.ended || errors.Is(err, io.EOF)
	return n, err
}

// exchange is the answer to a request.
type exchange struct {
	http.ResponseWriter

	times   times
	now     func() time.Time
	body    *body     // nil: there is none
	expects bool      // the client waits to be asked for the body (100 Continue)
	began   time.Time // when the answer, or its current part, began; zero: it hasn't
	sent    int       // bytes since began
	flushed bool      // the next byte begins another part
	by      time.Time // the current deadline
}

// WriteHeader implements http.ResponseWriter.
func (e *exchange) WriteHeader(status int) {
	if e.began.IsZero() && status >= http.StatusOK {
		e.begin()
	}
	e.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (e *exchange) Write(p []byte) (int, error) {
	e.resume()
	e.sent += len(p)
	e.extend()
	return e.ResponseWriter.Write(p)
}

// resume begins the answer or, after a flush, the time of its next part.
func (e *exchange) resume() {
	if e.began.IsZero() {
		e.begin()
	}
	if e.flushed {
		e.began, e.sent, e.flushed = e.now(), 0, false
	}
}

// FlushError sends the data written so far. Later data has its own time limit, so an answer that is sent in parts may
// take any time.
func (e *exchange) FlushError() error {
	if e.began.IsZero() {
		e.begin()
	}
	defer func() { e.flushed = true }()
	return http.NewResponseController(e.ResponseWriter).Flush()
}

// ReadFrom implements io.ReaderFrom, so that the kernel sends files (sendfile): in parts, each of which extends the
// client's deadline.
func (e *exchange) ReadFrom(from io.Reader) (sent int64, err error) {
	e.resume()
	limit, limited := from.(*io.LimitedReader)
	if !limited {
		limit = &io.LimitedReader{R: from, N: math.MaxInt64}
	}
	for limit.N > 0 {
		e.sent += sendSize
		e.extend()
		next := &io.LimitedReader{R: limit.R, N: min(limit.N, sendSize)} // package net finds a file in one LimitedReader, not in two
		n, err := io.Copy(e.ResponseWriter, next)
		sent, limit.N, e.sent = sent+n, limit.N-n, e.sent+int(n)-sendSize
		if err != nil || next.N > 0 {
			return sent, err
		}
	}
	return sent, nil
}

// Unwrap returns the writer below to http.ResponseController.
func (e *exchange) Unwrap() http.ResponseWriter { return e.ResponseWriter }

func (e *exchange) begin() {
	e.began = e.now()
	e.extend()
	if e.body != nil && !e.body.ended {
		e.leaveBody()
	}
}

// extend sets the write deadline for the data sent so far. Package http's server removes it after the answer.
func (e *exchange) extend() {
	seconds := float64(e.sent) / float64(e.times.rate)
	by := e.began.Add(e.times.answer + time.Duration(seconds*float64(time.Second)))
	if by.Sub(e.by) < e.times.answer/10 {
		return // the deadline that is set is close enough
	}
	e.by = by
	_ = http.NewResponseController(e.ResponseWriter).SetWriteDeadline(by) // only recorders in tests have no deadlines
}

// leaveBody makes the answer be sent without waiting for the rest of the body, which package http's server would read first.
// If the rest has arrived already, the connection stays open; otherwise it is closed after the answer.
func (e *exchange) leaveBody() {
	control := http.NewResponseController(e.ResponseWriter)
	if !e.expects && control.SetReadDeadline(time.Unix(1, 0)) == nil {
		e.body.reads = 0                   // without a pause
		_, _ = io.Copy(io.Discard, e.body) // ends when no more has arrived
		if e.body.ended {
			return
		}
	}
	e.Header().Set("Connection", "close")
	_ = control.SetReadDeadline(e.now().Add(e.times.linger)) // if that fails, the connection is broken
}
