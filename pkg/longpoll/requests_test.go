package longpoll_test

import (
	"fmt"
	"strings"
)

const (
	host  = "Host: chat.example\r\n"
	waits = "GET /poll?wait=1 HTTP/1.1\r\n" + host + "\r\n"
	now   = "GET /poll?n=2 HTTP/1.1\r\n" + host + "\r\n"
	other = "GET /other HTTP/1.1\r\n" + host + "\r\n"
)

// maxHead is a size of heads that both servers accept in any case.
const maxHead = 16 << 10

// tooLarge is a poll with a head that neither server accepts.
var tooLarge = padded(2 * maxHead)

// request is a text that a client may send, which it or another party may take for one request.
type request struct {
	name, text string
	leaves     bool // whether its connection leaves package http
}

// requests are the seeds of the tests that compare servers.
var requests = func() []request {
	head := func(first string, fields ...string) string {
		return first + "\r\n" + strings.Join(append(fields, ""), "\r\n") + "\r\n"
	}
	poll := func(fields ...string) string {
		return head("GET /poll?wait=2 HTTP/1.1", append([]string{"Host: chat.example"}, fields...)...)
	}
	length := func(body string) string { return fmt.Sprintf("Content-Length: %d", len(body)) }
	chunks := fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(other), other)
	return []request{
		{"a poll that waits", waits, true},
		{"a poll that doesn't", now, false},
		{"another request", other, false},
		{"a large answer", head("GET /poll?wait=1&large HTTP/1.1", "Host: a"), true},
		{"the last answer", head("GET /poll?wait=1&last HTTP/1.1", "Host: a"), true},
		{"an answer in parts", head("GET /poll?wait=1&part&part HTTP/1.1", "Host: a"), true},
		{"large parts", head("GET /poll?wait=1&large&part&part HTTP/1.1", "Host: a"), true},
		{"the last answer in parts", head("GET /poll?wait=1&part&last HTTP/1.1", "Host: a"), true},
		{"the last answer at once", head("GET /poll?last HTTP/1.1", "Host: a"), false},
		{"fields", poll("Authorization: Basic eA==", "X-Test: \ta \t", "X-Test: b", "x-TEST: c", "Cookie: a=b; c=d"), true},
		{"a request in an odd case", poll("CONNECTION: Keep-Alive"), true},
		{"another host", head("GET /poll?wait=1 HTTP/1.1", "Host: [::1]:80"), true},
		{"an empty field", poll("X-Test:"), true},

		{"Content-Length", poll(length(other)) + other, false},
		{"Content-Length without a wait", head("GET /poll?n=2 HTTP/1.1", "Host: a", length(other)) + other, false},
		{"Content-Length, too long", poll("Content-Length: 1000") + other, false},
		{"Content-Length, too short", poll("Content-Length: 5") + other, false},
		{"Content-Length: 0", poll("Content-Length: 0"), true},
		{"Content-Length: +0", poll("Content-Length: +0"), false},
		{"Content-Length: -1", poll("Content-Length: -1"), false},
		{"Content-Length: 0, 5", poll("Content-Length: 0, 5") + "hello", false},
		{"two equal Content-Lengths", poll("Content-Length: 5", "Content-Length: 5") + "hello", false},
		{"two Content-Lengths", poll("Content-Length: 0", "Content-Length: 5") + "hello", false},
		{"Content-Length with a blank", poll("Content-Length : 5") + "hello", false},
		{"chunked", poll("Transfer-Encoding: chunked") + chunks, false},
		{"chunked, nothing", poll("Transfer-Encoding: chunked") + "0\r\n\r\n", false},
		{"chunked, with a trailer", poll("Transfer-Encoding: chunked", "Trailer: X-Test") + "0\r\nX-Test: a\r\n\r\n", false},
		{"chunked and Content-Length", poll("Transfer-Encoding: chunked", "Content-Length: 3") + chunks, false},
		{"chunked twice", poll("Transfer-Encoding: chunked, chunked") + chunks, false},
		{"identity", poll("Transfer-Encoding: identity", length(other)) + other, false},
		{"a folded encoding", poll("Transfer-Encoding:", " chunked") + chunks, false},
		{"a tab before an encoding", poll("Transfer-Encoding:\tchunked") + chunks, false},
		{"a strange encoding", poll("Transfer-Encoding: \x0bchunked") + chunks, false},
		{"Expect", poll("Expect: 100-continue", length(other)) + other, false},
		{"Expect without a body", poll("Expect: 100-continue"), false},
		{"another expectation", poll("Expect: rain"), false},
		{"Upgrade", poll("Connection: Upgrade", "Upgrade: websocket"), false},
		{"HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", false},

		{"a bare LF after the first line", "GET /poll?wait=1 HTTP/1.1\n" + host + "\r\n", true},
		{"bare LFs", "GET /poll?wait=1 HTTP/1.1\nHost: a\n\n", true},
		{"a bare LF at the end", "GET /poll?wait=1 HTTP/1.1\r\n" + host + "\n", true},
		{"a bare LF in the middle", "GET /poll?wait=1 HTTP/1.1\r\nHost: a\nContent-Length: 5\r\n\r\nhello", false},
		{"a head that ends twice", "GET /poll?wait=1 HTTP/1.1\r\n" + host + "\n" + "GET /other HTTP/1.1\r\n" + host + "\r\n", true},
		{"a bare CR", poll("X-Test: a\rContent-Length: 5"), false},
		{"two CRs and an LF", "GET /poll?wait=1 HTTP/1.1\r\n" + host + "\r\r\n\r\n", false},
		{"NUL", poll("X-Test: \x00"), false},
		{"a folded field", poll("X-Test: a", " b"), true},
		{"a folded first field", head("GET /poll?wait=1 HTTP/1.1", " X-Test: a", "Host: a"), false},
		{"an empty line before", "\r\n" + waits, false},
		{"a body nobody announced", waits + "hello\r\n\r\n", true},
		{"no colon", poll("X-Test"), false},
		{"no name", poll(": a"), false},
		{"bytes that are no text", poll("X-Test: \xff\xfe"), true},

		{"HTTP/1.0", head("GET /poll?wait=1 HTTP/1.0", "Host: a"), false},
		{"HTTP/1.0, kept", head("GET /poll?wait=1 HTTP/1.0", "Host: a", "Connection: keep-alive"), false},
		{"HTTP/1.2", head("GET /poll?wait=1 HTTP/1.2", "Host: a"), false},
		{"HTTP/0.9", "GET /poll?wait=1\r\n\r\n", false},
		{"Connection: close", poll("Connection: close"), false},
		{"Connection: close among others", poll("Connection: keep-alive, Close"), false},
		{"no host", head("GET /poll?wait=1 HTTP/1.1"), false},
		{"an empty host", head("GET /poll?wait=1 HTTP/1.1", "Host:"), false},
		{"two hosts", poll("Host: b"), false},
		{"a strange host", head("GET /poll?wait=1 HTTP/1.1", "Host: a/b"), false},
		{"an absolute target", head("GET http://b/poll?wait=1 HTTP/1.1", "Host: a"), true},
		{"an escaped target", head("GET /%70oll?wait=1 HTTP/1.1", "Host: a"), true},
		{"an empty query", head("GET /poll? HTTP/1.1", "Host: a"), false},
		{"two questions", head("GET /poll??wait=1&a=%zz;b HTTP/1.1", "Host: a"), true},
		{"a fragment", head("GET /poll?wait=1#a HTTP/1.1", "Host: a"), true},
		{"a blank in the target", head("GET /poll?wait= 1 HTTP/1.1", "Host: a"), false},
		{"a target that is no text", head("GET /poll?wait=\xff HTTP/1.1", "Host: a"), true},
		{"POST", head("POST /other HTTP/1.1", "Host: a", length("hello")) + "hello", false},
		{"POST and a line", head("POST /other HTTP/1.1", "Host: a", length("hello")) + "hello\r\n", false},
		{"POST to the poll", head("POST /poll?wait=1 HTTP/1.1", "Host: a", length(other)) + other, false},
		{"HEAD", head("HEAD /poll?wait=1 HTTP/1.1", "Host: a"), false},
		{"a small letter", head("get /poll?wait=1 HTTP/1.1", "Host: a"), false},
		{"nonsense", "what is this\r\n\r\n", false},
		{"TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", false},
		{"half of a poll", "GET /poll?wait=1 HTTP/1.1\r\nHo", false},
		{"a head of 4096 bytes", padded(4096), true},
		{"a head of 4097 bytes", padded(4097), true},
		{"a head that is too large", tooLarge, false},
	}
}()

// padded returns a poll with a head of the given size.
func padded(size int) string {
	const before = "GET /poll?wait=1 HTTP/1.1\r\n" + host + "X-Test: "
	return before + strings.Repeat("x", size-len(before)-len("\r\n\r\n")) + "\r\n\r\n"
}
