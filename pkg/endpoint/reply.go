package endpoint

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
)

// buffer is where an answer is put together.
type buffer struct {
	buf bytes.Buffer
	enc *json.Encoder
}

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
	return b
}

// putBuffer takes the buffer back, unless one big answer has made it too big to keep.
func (rt *Router) putBuffer(b *buffer) {
	const most = 256 << 10
	if b.buf.Cap() <= most {
		rt.buffers.Put(b)
	}
}

// value appends the JSON of v without the line feed that an encoder adds.
func (b *buffer) value(v any) error {
	if err := b.enc.Encode(v); err != nil {
		return err
	}
	b.buf.Truncate(b.buf.Len() - 1)
	return nil
}

// object appends the members of reply to the opened object that the buffer ends with, and closes it.
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
	b := c.router.getBuffer()
	defer c.router.putBuffer(b)
	b.buf.WriteString(c.endpoint.prefix)
	if err := c.encode(b, reply); err != nil {
		return err
	}
	if err := c.settleAnswer(ctx, b.buf.Cap()); err != nil {
		return err
	}
	c.write(http.StatusOK, b.buf.Bytes())
	return nil
}

// encode appends the reply to the opened object that the buffer ends with, and closes it. Where the call has a turn it
// is in pieces, with rests.
func (c *call) encode(b *buffer, reply any) error {
	if all := c.endpoint.pieces; c.hasTurn && all != nil {
		return b.pieces(all, reply, newPace(&c.router.small).rest)
	}
	return b.object(reply)
}

// write sends an answer in one piece. It fails only with the client's connection, and nobody is left to report that to.
func (c *call) write(status int, body []byte) {
	h := c.w.Header()
	h["Content-Type"] = c.router.headers.contentType
	if c.router.cfg.Ending != nil && c.router.cfg.Ending() {
		h["Connection"] = c.router.headers.closing
	}
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	c.status = status
	c.w.WriteHeader(status)
	if c.r.Method != http.MethodHead {
		_, _ = c.w.Write(body)
	}
}
