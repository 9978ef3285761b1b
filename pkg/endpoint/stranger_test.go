package endpoint_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/permit"
)

// counted is a body that counts the bytes read.
type counted struct {
	io.Reader
	bytes int
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.bytes += n
	return n, err
}

// The body of an unauthenticated request isn't read, or only a little of it if the key can be only in the form
// (security, H1).
func TestStrangersSendLittle(t *testing.T) {
	t.Parallel()
	type params struct {
		Payload payload `body:"json"`
	}
	basicOnly := endpoint.New(endpoint.About{Route: "POST /x", Who: permit.Anyone, MaxBody: endpoint.LargeBody},
		func(context.Context, actor.Actor, none) (endpoint.Nothing, error) { return endpoint.Nothing{}, nil })
	inQuery := endpoint.Hook(endpoint.About{Route: "POST /hook", Who: permit.Hook, MaxBody: endpoint.LargeBody},
		func(context.Context, actor.Actor, params) (endpoint.Nothing, error) { return endpoint.Nothing{}, nil })
	inForm := endpoint.Hook(endpoint.About{Route: "POST /form", Who: permit.Hook, MaxBody: endpoint.LargeBody},
		func(context.Context, actor.Actor, none) (endpoint.Nothing, error) { return endpoint.Nothing{}, nil })
	s := serve(t, basicOnly, inQuery, inForm)
	for _, c := range []struct {
		name, path, login string
		chunked           bool
		maxBytes          int
	}{
		{"no key", "/x", "", false, 0},
		{"wrong key", "/x", basic(key("z")), false, 0},
		{"wrong key in the query", "/hook?api_key=" + key("z"), "", false, 0},
		{"no key in the query", "/hook", "", false, 0},
		{"wrong key in the query of a form", "/form?api_key=" + key("z"), "", false, 0},
		{"key in a form", "/form", "", false, endpoint.SmallBody + 1},
		{"key in a form without a length", "/form", "", true, endpoint.SmallBody + 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			body := &counted{Reader: strings.NewReader("api_key=" + key("z") + "&x=" + strings.Repeat("x", endpoint.LargeBody-100))}
			r := request(t, http.MethodPost, "/api/v1"+c.path, "")
			r.Body, r.ContentLength = io.NopCloser(body), endpoint.LargeBody
			if c.chunked {
				r.ContentLength = -1
			}
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			r.Header.Del("Authorization")
			if c.login != "" {
				r.Header.Set("Authorization", c.login)
			}
			w := s.do(r)
			if refused := w.Code == http.StatusRequestEntityTooLarge; w.Code/100 != 4 || refused != (c.maxBytes > 0) || body.bytes > c.maxBytes {
				t.Errorf("status %d after %d bytes, want at most %d", w.Code, body.bytes, c.maxBytes)
			}
		})
	}
}
