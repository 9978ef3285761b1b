package longpoll

import (
	"bufio"
	"net"
	"net/http"
	"reflect"
	"strings"
	"testing"
)

// A poll is parsed as package http parses the same bytes, also after another poll.
func FuzzParse(f *testing.F) {
	f.Add("GET /poll?a=1 HTTP/1.1", "Host: a.example\r\nAuthorization: Basic x\r\n\r\n", "a=2&b=%20")
	f.Add("GET /poll? HTTP/1.1", "Host: a.example:80\r\nX: \ty \r\nX: z\r\n\r\n", "")
	f.Add("GET /poll?x HTTP/1.1", "Host: a\r\nContent-Length: 0\r\n\r\n", "?")
	f.Add("GET /poll?x HTTP/1.1", "Host: a\r\nConnection: keep-alive\r\n folded\r\n\r\n", "%zz")
	f.Fuzz(func(t *testing.T, line, header, query string) {
		ours, theirs := net.Pipe()
		defer ours.Close()
		defer theirs.Close()
		c := &conn{Conn: ours, server: New(t.Context(), Config{Path: "/poll"})}
		for _, line := range []string{line, "GET /poll?" + query + " HTTP/1.1"} {
			head := line + "\r\n" + header
			if !strings.HasSuffix(head, "\r\n\r\n") || strings.Index(head, "\r\n\r\n") != len(head)-4 {
				return // next returns only complete heads
			}
			got := c.parse(t.Context(), []byte(head))
			if got == nil {
				continue
			}
			want, err := http.ReadRequest(bufio.NewReader(strings.NewReader(head)))
			if err != nil {
				t.Fatalf("%q is a poll, but package http says %v", head, err)
			}
			if got.Method != want.Method || got.Host != want.Host || got.RequestURI != want.RequestURI || *got.URL != *want.URL ||
				!reflect.DeepEqual(got.Header, want.Header) || got.ContentLength != want.ContentLength || got.Close != want.Close {
				t.Errorf("%q: got %+v, want %+v", head, got, want)
			}
		}
	})
}
