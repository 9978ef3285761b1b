package longpoll

import (
	"bytes"
	"net/http"
	"strconv"
	"strings"
)

// writer collects an answer.
type writer struct {
	header  http.Header // nil: it has no fields
	status  int
	body    *bytes.Buffer // of the server's pool; nil: empty
	conn    *conn
	streams bool   // a part of the answer was sent
	sent    func() // called when the answer was sent or has failed
	later   Answer // answers after the handler has returned; nil: the handler answers
}

// Header implements http.ResponseWriter.
func (w *writer) Header() http.Header {
	if w.header == nil {
		header, ok := w.conn.server.headers.Get().(http.Header)
		if !ok {
			panic("longpoll: the pool holds headers only")
		}
		w.header = header
	}
	return w.header
}

// freeHeader returns a header without fields to the pool.
func (w *writer) freeHeader() {
	if w.header != nil && len(w.header) == 0 {
		w.conn.server.headers.Put(w.header)
		w.header = nil
	}
}

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
		w.body = w.conn.server.buffer()
	}
	return w.body.Write(body)
}

// FlushError sends the data written so far as a chunk of an answer of unknown length. It fails if the client
// receives it too slowly or has disconnected. Then the connection is closed.
func (w *writer) FlushError() error {
	w.WriteHeader(http.StatusOK)
	return w.conn.send(false)
}

// WhenSent makes done be called when the answer to w's request has left the process, or has failed. It reports false, and
// never calls done, unless a [Server] serves the connection. Other writers write at once.
func WhenSent(w http.ResponseWriter, done func()) bool {
	own := ownWriter(w)
	if own == nil {
		return false
	}
	own.sent = done
	return true
}

// finished is called when the answer's memory is no longer used.
func (w *writer) finished() {
	if w.sent != nil {
		w.sent()
		w.sent = nil
	}
}

// ownWriter returns the writer of this package that w wraps, or nil.
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

// message appends the encoded answer, and resets the writer for the next one.
func (w *writer) message(b *bytes.Buffer, date string, last bool) {
	w.head(b, date, last)
	if w.body != nil {
		appendBody(b, w.body.Bytes())
	} else {
		appendBody(b, nil)
	}
	w.sentBody()
	w.status = 0
}

// appendBody appends the end of an answer's header, and its body.
func appendBody(b *bytes.Buffer, body []byte) {
	b.WriteString("Content-Length: ")
	b.Write(strconv.AppendInt(b.AvailableBuffer(), int64(len(body)), 10))
	b.WriteString("\r\n\r\n")
	b.Write(body)
}

// chunk appends the data written since the last chunk as an encoded chunk and, if the answer is complete, its end.
func (w *writer) chunk(b *bytes.Buffer, date string, last, complete bool) {
	if !w.streams {
		w.streams = true
		w.head(b, date, last)
		b.WriteString("Transfer-Encoding: chunked\r\n\r\n")
	}
	if w.body != nil && w.body.Len() > 0 { // an empty chunk is the end
		appendChunk(b, w.body.Bytes())
	}
	w.sentBody()
	if complete {
		appendChunk(b, nil) // the end
		w.streams, w.status = false, 0
	}
}

// appendChunk appends a part of an answer that is sent in parts (RFC 9112, section 7.1).
func appendChunk(b *bytes.Buffer, part []byte) {
	b.Write(strconv.AppendInt(b.AvailableBuffer(), int64(len(part)), 16))
	b.WriteString("\r\n")
	b.Write(part)
	b.WriteString("\r\n")
}

// sentBody releases the body so far.
func (w *writer) sentBody() {
	if w.body != nil {
		w.conn.server.release(w.body)
		w.body = nil
	}
}

// head appends the status line, and the header without Content-Length and Transfer-Encoding.
func (w *writer) head(b *bytes.Buffer, date string, last bool) {
	if w.status == http.StatusOK {
		b.WriteString("HTTP/1.1 200 OK\r\n")
	} else {
		b.WriteString("HTTP/1.1 " + strconv.Itoa(w.status) + " " + http.StatusText(w.status) + "\r\n")
	}
	delete(w.header, "Content-Length") // the handler's may differ from the length sent
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
	clear(w.header)
	w.freeHeader()
}

// field appends a field of a header. It replaces line breaks in the value, which would end the field.
func field(b *bytes.Buffer, name, value string) {
	if strings.ContainsAny(value, "\r\n") {
		value = strings.NewReplacer("\r", " ", "\n", " ").Replace(value)
	}
	b.WriteString(name)
	b.WriteString(": ")
	b.WriteString(value)
	b.WriteString("\r\n")
}
