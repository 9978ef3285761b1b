package longpoll

import (
	"bytes"
	"context"
	"net/http"
	"strconv"
	"strings"
)

// writer collects an answer.
type writer struct {
	header http.Header
	status int
	body   *bytes.Buffer // of the server's pool; nil: nothing was written
	server *Server
	sent   func()                                           // is called when the answer is, or never will be
	later  func(ctx context.Context, w http.ResponseWriter) // answers when the handler has returned
}

// Header implements http.ResponseWriter.
func (w *writer) Header() http.Header { return w.header }

// WriteHeader implements http.ResponseWriter.
func (w *writer) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
}

// Write implements http.ResponseWriter.
func (w *writer) Write(body []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	if w.body == nil {
		w.body = w.server.buffer()
	}
	return w.body.Write(body)
}

// WhenSent has done called when the answer to w's request has left the process, or can't. It reports false, and
// doesn't call it, where w writes at once, which is everywhere but to a connection that a [Server] serves.
func WhenSent(w http.ResponseWriter, done func()) bool {
	own := ownWriter(w)
	if own == nil {
		return false
	}
	own.sent = done
	return true
}

// finished is called when the answer needs no memory any more.
func (w *writer) finished() {
	if w.sent != nil {
		w.sent()
		w.sent = nil
	}
}

// ownWriter returns the writer of a server of this package that w wraps; nil: it wraps none.
func ownWriter(w http.ResponseWriter) *writer {
	for {
		switch under := w.(type) {
		case *writer:
			return under
		case interface{ Unwrap() http.ResponseWriter }:
			w = under.Unwrap()
		default:
			return nil
		}
	}
}

// message appends the answer as it goes over the connection, and makes the writer ready for the next.
func (w *writer) message(b *bytes.Buffer, date string, last bool) {
	if w.status == http.StatusOK {
		b.WriteString("HTTP/1.1 200 OK\r\n")
	} else {
		b.WriteString("HTTP/1.1 " + strconv.Itoa(w.status) + " " + http.StatusText(w.status) + "\r\n")
	}
	delete(w.header, "Content-Length") // of what the handler wrote; what is sent decides
	delete(w.header, "Connection")
	for name, values := range w.header {
		for _, value := range values {
			field(b, name, value)
		}
	}
	field(b, "Date", date)
	if last {
		field(b, "Connection", "close")
	}
	b.WriteString("Content-Length: ")
	length := 0
	if w.body != nil {
		length = w.body.Len()
	}
	b.Write(strconv.AppendInt(b.AvailableBuffer(), int64(length), 10))
	b.WriteString("\r\n\r\n")
	if w.body != nil {
		b.Write(w.body.Bytes())
		w.server.release(w.body)
	}
	clear(w.header)
	w.status, w.body = 0, nil
}

// field appends a field of a header. A line break in its value would end it.
func field(b *bytes.Buffer, name, value string) {
	if strings.ContainsAny(value, "\r\n") {
		value = strings.NewReplacer("\r", " ", "\n", " ").Replace(value)
	}
	b.WriteString(name)
	b.WriteString(": ")
	b.WriteString(value)
	b.WriteString("\r\n")
}
