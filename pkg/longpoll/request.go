package longpoll

import (
	"bufio"
	"bytes"
	"context"
	"net/http"
	"net/url"
	"slices"

	"golang.org/x/net/http/httpguts"
)

// parse gives the poll that a head is; nil: it is something else, or not as it should be.
//
// A head that differs from the one before only in its first line belongs to the same request with another
// query. That is not only less work, it can't be read differently than before either.
func (c *conn) parse(ctx context.Context, head []byte) *http.Request {
	line, header, _ := bytes.Cut(head, []byte("\r\n"))
	query, ok := c.server.query(line)
	if !ok {
		return nil
	}
	if c.request != nil && bytes.Equal(header, c.header) {
		c.request.URL = &url.URL{Path: c.server.Path, RawQuery: query}
		c.request.RequestURI = c.server.Path + "?" + query
		return c.request
	}
	r, err := http.ReadRequest(bufio.NewReaderSize(bytes.NewReader(head), len(head)))
	if err != nil || !plain(r) {
		return nil
	}
	r.RemoteAddr = c.RemoteAddr().String()
	r.Body = http.NoBody
	c.request, c.header = r.WithContext(ctx), bytes.Clone(header)
	return c.request
}

// query gives the query of a request's first line, if it is a poll's.
func (s *Server) query(line []byte) (query string, ok bool) {
	rest, ok := bytes.CutPrefix(line, []byte("GET "+s.Path+"?"))
	if !ok {
		return "", false
	}
	rest, ok = bytes.CutSuffix(rest, []byte(" HTTP/1.1"))
	if !ok || len(rest) == 0 || slices.ContainsFunc(rest, func(b byte) bool { return b <= ' ' || b >= 0x7f || b == '#' }) {
		return "", false
	}
	return string(rest), true
}

// plain reports whether a request has no body, wants nothing but an answer, and has a header that package
// http's server would take.
func plain(r *http.Request) bool {
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
