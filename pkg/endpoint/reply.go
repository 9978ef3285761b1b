package endpoint

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strconv"
)

// segmentSize is the size of the segments of a large answer. A single growing buffer would be copied repeatedly,
// and each copy stops the process while the kernel provides the memory.
const segmentSize = 256 << 10

// buffer collects an answer.
type buffer struct {
	buf bytes.Buffer
	enc *json.Encoder
	// before are the segments that are sent before buf. held is the memory of those that aren't shared.
	before [][]byte
	held   int
}

// Encoded is a member of a reply, at its top level, that is already encoded: the JSON of a T; nil: null. It is sent without
// being copied or counted as memory, since several answers may share it.
type Encoded[T any] struct{ JSON []byte }

func (e Encoded[T]) encoded() []byte { return e.JSON }

// MarshalJSON implements [json.Marshaler].
func (e Encoded[T]) MarshalJSON() ([]byte, error) { return json.RawMessage(e.JSON).MarshalJSON() }

// Type returns T.
func (Encoded[T]) Type() reflect.Type { return reflect.TypeFor[T]() }

func newBuffer() *buffer {
	b := &buffer{}
	b.enc = json.NewEncoder(&b.buf)
	b.enc.SetEscapeHTML(false)
	return b
}

func (rt *Router) getBuffer() *buffer {
	b, ok := rt.buffers.Get().(*buffer)
	if !ok {
		panic("endpoint: the pool holds buffers only")
	}
	b.buf.Reset()
	b.before, b.held = nil, 0
	return b
}

// putBuffer returns the buffer to the pool, unless it has become too large.
func (rt *Router) putBuffer(b *buffer) {
	if b.buf.Cap() <= segmentSize {
		rt.buffers.Put(b)
	}
}

// cut ends a segment. The next one has room for this many bytes.
func (b *buffer) cut(room int) {
	b.before = append(b.before, b.buf.Bytes())
	b.held += b.buf.Cap()
	b.buf = *bytes.NewBuffer(make([]byte, 0, room))
}

// insert appends JSON that may be shared with other answers.
func (b *buffer) insert(encoded []byte) {
	b.cut(bytes.MinRead)
	b.before = append(b.before, encoded)
}

// segments returns the segments of the answer, in order.
func (b *buffer) segments() [][]byte { return append(b.before, b.buf.Bytes()) }

// length returns the size of the answer in bytes.
func (b *buffer) length() int {
	length := b.buf.Len()
	for _, segment := range b.before {
		length += len(segment)
	}
	return length
}

// size returns the memory of the answer in bytes, without shared segments.
func (b *buffer) size() int { return b.held + b.buf.Cap() }

// value appends the JSON of v without the encoder's line feed.
func (b *buffer) value(v any) error {
	if err := b.enc.Encode(v); err != nil {
		return err
	}
	b.buf.Truncate(b.buf.Len() - 1)
	return nil
}

// object appends the members of reply to the open object at the end of the buffer, and closes it.
func (b *buffer) object(reply any) error {
	start := b.buf.Len()
	if err := b.enc.Encode(reply); err != nil {
		return fmt.Errorf("encode: %w", err)
	}
	switch text := b.buf.Bytes()[start:]; {
	case text[0] != '{':
		return errors.New("encode: it isn't a JSON object")
	case text[1] == '}':
		b.buf.Truncate(start)
		b.buf.WriteString("}\n")
	default:
		text[0] = ','
	}
	return nil
}

// succeed sends the success envelope with the reply's fields.
func (c *call) succeed(ctx context.Context, reply any) error {
	c.refresh(ctx)
	if to, ok := reply.(Redirect); ok {
		c.w.Header().Set("Location", to.Path)
		c.write(http.StatusFound)
		return nil
	}
	b := c.router.getBuffer()
	defer c.router.putBuffer(b)
	b.buf.WriteString(c.endpoint.prefix)
	if err := c.encode(b, reply); err != nil {
		return err
	}
	c.compress(b)
	if err := c.settleAnswer(ctx, b.size()); err != nil {
		return err
	}
	c.write(http.StatusOK, b.segments()...)
	return nil
}

// encode appends the reply to the open object at the end of the buffer, and closes it. If the call has a turn, it
// encodes the reply in pieces, with rests.
func (c *call) encode(b *buffer, reply any) error {
	if all := c.endpoint.pieces; all != nil && (c.hasTurn || all.hasEncoded()) {
		return b.pieces(all, reply, c.rest)
	}
	return b.object(reply)
}

// sayEnding makes the client close the connection after the answer if the server is shutting down.
func (c *call) sayEnding() {
	if c.isEnding() {
		c.w.Header()["Connection"] = c.router.headers.closing
	}
}

func (c *call) isEnding() bool { return c.router.cfg.Ending != nil && c.router.cfg.Ending() }

// write sends an answer. It ignores errors, which mean that the client has disconnected.
func (c *call) write(status int, body ...[]byte) {
	h := c.w.Header()
	if c.late {
		c.setHeader(h)
	}
	h["Content-Type"] = c.router.headers.contentType
	c.sayEnding()
	length := 0
	for _, segment := range body {
		length += len(segment)
	}
	h["Content-Length"] = []string{strconv.Itoa(length)}
	c.status = status
	c.w.WriteHeader(status)
	if c.r.Method == http.MethodHead {
		return
	}
	for _, segment := range body {
		if _, err := c.w.Write(segment); err != nil {
			return
		}
	}
}
