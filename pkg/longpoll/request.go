package longpoll

import (
	"bufio"
	"bytes"
	"context"
	"net/http"
	"slices"

	"golang.org/x/net/http/httpguts"
)

// parse returns the poll with a head, or nil if it is another request or malformed.
func (c *conn) parse(ctx context.Context, head []byte) *http.Request {
	line, header, _ := bytes.Cut(head, []byte("\r\n"))
	if !c.server.isPoll(line) || !wholeLines(header) {
		return nil
	}
	r, err := http.ReadRequest(bufio.NewReaderSize(bytes.NewReader(head), len(head)))
	if err != nil || !plain(r) {
		return nil
	}
	r.RemoteAddr = c.RemoteAddr().String()
	r.Body = http.NoBody
	return r.WithContext(ctx)
}

// wholeLines reports whether all lines end with CRLF. For a parser that accepts a bare LF or CR as the end of a line, as
// package http's does with LF, the head could end elsewhere.
func wholeLines(header []byte) bool {
	crlf := bytes.Count(header, []byte("\r\n"))
	return bytes.Count(header, []byte{'\n'}) == crlf && bytes.Count(header, []byte{'\r'}) == crlf
}

// isPoll reports whether a request's first line is a poll's.
func (s *Server) isPoll(line []byte) bool {
	const method, protocol = "GET ", " HTTP/1.1"
	if len(line) <= len(method)+len(s.Path)+1+len(protocol) || string(line[:len(method)]) != method {
		return false
	}
	between := line[len(method) : len(line)-len(protocol)]
	if string(line[len(line)-len(protocol):]) != protocol || string(between[:len(s.Path)]) != s.Path || between[len(s.Path)] != '?' {
		return false
	}
	return !bytes.ContainsFunc(between, func(r rune) bool { return r <= ' ' || r >= 0x7f || r == '#' })
}

// plain reports whether a request may be served outside of package http's server: it is a GET of HTTP/1.1 without
// a body, uses no extensions such as Expect or Upgrade, and has a header that package http's server accepts. The same rule
// applies to a request that leaves package http's server and to each that follows on the connection: every parser agrees
// that the next request begins after such a head.
func plain(r *http.Request) bool {
	if r.ProtoMajor != 1 || r.ProtoMinor != 1 || r.Method != http.MethodGet {
		return false
	}
	if r.ContentLength != 0 || len(r.TransferEncoding) > 0 || r.Close || r.Host == "" || !httpguts.ValidHostHeader(r.Host) {
		return false
	}
	for _, name := range []string{"Expect", "Upgrade", "Trailer"} {
		if len(r.Header[name]) > 0 {
			return false
		}
	}
	for name, values := range r.Header {
		if !httpguts.ValidHeaderFieldName(name) || slices.ContainsFunc(values, func(v string) bool { return !httpguts.ValidHeaderFieldValue(v) }) {
			return false
		}
	}
	return true
}
