package longpoll

import (
	"bytes"
	"net/http"
	"strings"
)

// repeat is what is known of the request that a connection sends again and again, with another number each time.
type repeat struct {
	head     []byte // of the last request that was parsed here
	from, to int    // where the number is in it; nowhere if to is 0
	// begin begins to answer such a request, and answer goes on. begin is nil if nobody said how.
	begin  func(number int64) bool
	answer Answer
}

// Again is called by an [Answer] that hasn't answered yet, with its writer. begin is called, instead of the handler, for
// the next request of the connection if that is the same as this one, byte by byte, except for the value of [Config.Number].
// Where begin returns true, the same Answer is called for that request; where it returns false, the handler gets the request.
// begin is called while nothing else of the connection is, again and again until another request comes, and doesn't block.
//
// So whatever the bytes of a request decide, such as who its client is, needn't be found out again.
func Again(w http.ResponseWriter, begin func(number int64) bool) {
	if own := ownWriter(w); own != nil && own.conn.repeat.to > 0 {
		own.conn.repeat.begin, own.conn.repeat.answer = begin, own.later
	}
}

// newRepeat remembers the head of a poll.
func (s *Server) newRepeat(head []byte) repeat {
	r := repeat{head: bytes.Clone(head)}
	line, _, _ := bytes.Cut(head, []byte(" HTTP/1.1\r\n"))
	at := len("GET ") + len(s.Path) + len("?")
	for pair := range strings.SplitSeq(string(line[at:]), "&") {
		key, value, _ := strings.Cut(pair, "=")
		switch _, isNumber := parseNumber([]byte(value)); {
		case strings.ContainsAny(key, "%+"), key == s.Number && (r.to > 0 || !isNumber): // who knows what a reader makes of it
			return repeat{}
		case key == s.Number && s.Number != "":
			r.to = at + len(pair)
			r.from = r.to - len(value)
		}
		at += len(pair) + len("&")
	}
	return r
}

// number returns the number in a head that is otherwise the same.
func (r *repeat) number(head []byte) (number int64, ok bool) {
	before, after := r.head[:r.from], r.head[r.to:]
	n := len(head) - len(after)
	if n < len(before) || !bytes.Equal(head[n:], after) || !bytes.HasPrefix(head, before) {
		return 0, false
	}
	return parseNumber(head[len(before):n])
}

// parseNumber reads an integer of up to 18 digits, which has but one spelling.
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

// repeats begins to answer a request that is like the one before, and reports false for all others.
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

// repeatsNow begins to answer the next request without a goroutine if it is like the one before and its answer must be
// waited for. It reports false where there is something else to do. memory is for the request.
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
		return false // whoever reads next learns why
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
