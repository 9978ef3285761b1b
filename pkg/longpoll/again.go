package longpoll

import (
	"bytes"
	"net/http"
	"strings"
)

// repeat describes the request that a connection sends repeatedly, with another number each time.
type repeat struct {
	head     []byte // of the last request that was parsed
	from, to int    // the offsets of the number in head; to is 0 if there is none
	// begin starts to answer such a request, and answer continues. begin is nil unless Again was called.
	begin  func(number int64) bool
	answer Answer
}

// Again makes the connection call begin, instead of the handler, for the next request if that equals this one, byte by
// byte, except for the value of [Config.Number]. If begin returns true, the same Answer is called for that request;
// otherwise the handler gets it. This continues until another request arrives. begin isn't called concurrently with other
// functions of the connection, and must not block.
//
// So properties that depend on the other bytes of a request, such as the client's account, need not be determined again.
//
// Again must be called by an [Answer] that hasn't answered yet, with its writer.
func Again(w http.ResponseWriter, begin func(number int64) bool) {
	if own := ownWriter(w); own != nil && own.conn.repeat.to > 0 {
		own.conn.repeat.begin, own.conn.repeat.answer = begin, own.later
	}
}

// newRepeat returns the repeat of a poll with this head.
func (s *Server) newRepeat(head []byte) repeat {
	r := repeat{head: bytes.Clone(head)}
	line, _, _ := bytes.Cut(head, []byte(" HTTP/1.1\r\n"))
	at := len("GET ") + len(s.Path) + len("?")
	for pair := range strings.SplitSeq(string(line[at:]), "&") {
		key, value, _ := strings.Cut(pair, "=")
		switch _, isNumber := parseNumber([]byte(value)); {
		case strings.ContainsAny(key, "%+"), key == s.Number && (r.to > 0 || !isNumber): // parsers may differ on it
			return repeat{}
		case key == s.Number && s.Number != "":
			r.to = at + len(pair)
			r.from = r.to - len(value)
		}
		at += len(pair) + len("&")
	}
	return r
}

// number returns the number in a head; ok is false unless the rest equals r.head.
func (r *repeat) number(head []byte) (number int64, ok bool) {
	before, after := r.head[:r.from], r.head[r.to:]
	n := len(head) - len(after)
	if n < len(before) || !bytes.Equal(head[n:], after) || !bytes.HasPrefix(head, before) {
		return 0, false
	}
	return parseNumber(head[len(before):n])
}

// parseNumber parses an integer of up to 18 digits in its only valid form: without leading zeros.
func parseNumber(text []byte) (number int64, ok bool) {
	digits, negative := bytes.CutPrefix(text, []byte("-"))
	if len(digits) == 0 || len(digits) > 18 || digits[0] == '0' && (len(digits) > 1 || negative) {
		return 0, false
	}
	for _, d := range digits {
		if d < '0' || d > '9' {
			return 0, false
		}
		number = 10*number + int64(d-'0')
	}
	if negative {
		number = -number
	}
	return number, true
}

// repeats starts to answer a request that repeats the one before. It reports false for all others.
func (c *conn) repeats(head []byte) bool {
	if c.repeat.begin == nil {
		return false
	}
	number, ok := c.repeat.number(head)
	if !ok || !c.repeat.begin(number) {
		return false
	}
	c.asked, c.writer.later = true, c.repeat.answer
	return true
}

// repeatsNow reads the next request and, if it repeats the one before and has to wait for its answer, makes the connection
// wait without a goroutine. Otherwise it reports false, and a goroutine must serve the connection. memory is a buffer for
// the request.
func (c *conn) repeatsNow(memory []byte) (done bool) {
	if c.repeat.begin == nil || c.server.closing.Load() {
		return false
	}
	defer func() {
		if cause := recover(); cause != nil {
			c.panicked(cause)
			done = true
		}
	}()
	n, err := c.socket.Read(memory)
	if err != nil {
		return false // the next read returns the error
	}
	if !c.repeats(memory[:n]) {
		c.early = bytes.Clone(memory[:n])
		return false
	}
	if c.writer.later(c.server.ctx, &c.writer, c.wake) {
		c.writer.later = nil
		return false
	}
	return c.waits(c.server.ctx, forAnswer)
}
