package endpoint_test

import (
	"bytes"
	"context"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/permit"
)

// late is a body that calls a function before its last byte.
type late struct {
	text   string
	before func()
}

// Read implements io.Reader.
func (l *late) Read(p []byte) (int, error) {
	switch len(l.text) {
	case 0:
		return 0, io.EOF
	case 1:
		l.before()
	}
	n := copy(p[:1], l.text)
	l.text = l.text[n:]
	return n, nil
}

// answersRole is a handler that answers with its caller's role.
func answersRole(_ context.Context, who actor.Actor, _ none) (map[string]any, error) {
	return map[string]any{"role": who.Role, "client": who.Client}, nil
}

const deactivated = `{"result":"error","msg":"Account is deactivated","code":"UNAUTHORIZED"}`

// Rights that end while the rest of a request arrives, or while its handler waits for a turn, are not used.
func TestRightsEndMeanwhile(t *testing.T) {
	t.Parallel()
	about := func(route string, who permit.Who) endpoint.About { return endpoint.About{Route: route, Who: who} }
	now, known, then := time.Unix(940, 0), accounts{}, account{}
	change := func() {
		known[key("m")] = then
		now = now.Add(2 * time.Second)
	}
	s := serveWith(t, endpoint.Config{Authenticator: known, Now: func() time.Time { return now }},
		endpoint.New(about("POST /form", permit.NonGuest), answersRole),
		endpoint.Hook(about("POST /hook", permit.Hook), answersRole),
		endpoint.New(about("POST /reserve", permit.Anyone), func(ctx context.Context, who actor.Actor, in none) (map[string]any, error) {
			change()
			if err := endpoint.Reserve(ctx, 1<<20); err != nil {
				return nil, err
			}
			return answersRole(ctx, who, in)
		}),
		endpoint.Upload(about("POST /file", permit.NonGuest), endpoint.OneFile{
			MaxBytes: 100, Missing: fault.Bad("none"), Several: fault.Bad("several"), TooLarge: fault.Bad("large"),
		}, func(ctx context.Context, who actor.Actor, in none, file *endpoint.File) (map[string]any, error) {
			if _, err := io.ReadAll(file); err != nil {
				return nil, err
			}
			return answersRole(ctx, who, in)
		}),
	)
	file := bytes.Buffer{}
	parts := multipart.NewWriter(&file)
	if part, err := parts.CreateFormFile("file", "a.txt"); err != nil {
		t.Fatal(err)
	} else if _, err := part.Write([]byte("text")); err != nil {
		t.Fatal(err)
	}
	if err := parts.Close(); err != nil {
		t.Fatal(err)
	}
	const (
		otherRole = `{"result":"error","msg":"Your role has just changed: send the request again"}`
		member    = `{"result":"success","msg":"","role":400,"client":"Term"}`
		admin     = `{"result":"success","msg":"","role":200,"client":"Term"}`
	)
	noGuest := badRequest("Not allowed for guest users")
	gone := account{fails: fault.ErrUserDeactivated}
	role := func(role actor.Role) account { return person(3, role, actor.Human) }
	hook := person(3, actor.Member, actor.IncomingWebhook)
	for _, c := range []struct {
		path          string
		before, after account
		status        int
		answer        string
	}{
		{"/form", role(actor.Member), gone, 401, deactivated},
		{"/form", role(actor.Member), role(actor.Guest), 400, noGuest},
		{"/form", role(actor.Member), role(actor.Administrator), 200, admin},
		{"/hook", hook, gone, 400, badRequest("Account is deactivated")},
		{"/hook", hook, hook, 200, member},
		{"/file", role(actor.Member), gone, 401, deactivated},
		{"/file", role(actor.Member), role(actor.Guest), 400, noGuest},
		{"/file", role(actor.Owner), role(actor.Member), 409, otherRole},
		{"/file", role(actor.Member), role(actor.Member), 200, member},
		{"/reserve", role(actor.Member), gone, 401, deactivated},
		{"/reserve", role(actor.Member), role(actor.Guest), 409, otherRole},
		{"/reserve", role(actor.Member), role(actor.Member), 200, member},
	} {
		known[key("m")], then = c.before, c.after
		r := request(t, http.MethodPost, "/api/v1"+c.path, "x=y")
		body := "x=y"
		switch c.path {
		case "/hook":
			r.Header.Del("Authorization")
			r.URL.RawQuery = "api_key=" + key("m")
		case "/file":
			r.Header.Set("Content-Type", parts.FormDataContentType())
			body = file.String()
		}
		if c.path != "/reserve" {
			r.Body, r.ContentLength = io.NopCloser(&late{body, change}), int64(len(body))
		}
		r.Header.Set("User-Agent", "Term/1.0")
		t.Logf("%s: role %d, then %d", c.path, c.before.actor.Role, c.after.actor.Role)
		want(t, s.do(r), c.status, c.answer)
	}
}

// watched are accounts whose authentications are counted.
type watched struct {
	accounts
	asked *atomic.Int32
}

// Authenticate implements [endpoint.Authenticator].
func (w watched) Authenticate(ctx context.Context, host, email, key string) (actor.Actor, error) {
	defer w.asked.Add(1)
	return w.accounts.Authenticate(ctx, host, email, key)
}

// Rights that end while a call waits for its turn to make a large answer are not used.
func TestRightsEndBeforeTurn(t *testing.T) {
	t.Parallel()
	clock, asked := atomic.Int64{}, atomic.Int32{}
	begun, end := make(chan struct{}), make(chan struct{})
	known := members()
	about := endpoint.About{Route: "GET /large", Who: permit.Anyone, Memory: 1 << 20}
	s := serveWith(t, endpoint.Config{
		Authenticator: watched{known, &asked}, Turns: 1, Now: func() time.Time { return time.Unix(clock.Load(), 0) },
	}, endpoint.New(about, func(ctx context.Context, who actor.Actor, in none) (map[string]any, error) {
		close(begun)
		<-end
		return answersRole(ctx, who, in)
	}))
	first, second := make(chan int, 1), make(chan int, 1)
	go func() { first <- s.do(request(t, http.MethodGet, "/api/v1/large", "")).Code }()
	<-begun
	go func() {
		w := s.do(request(t, http.MethodGet, "/api/v1/large", ""))
		if !strings.Contains(w.Body.String(), "deactivated") {
			t.Errorf("the second call: %s", w.Body)
		}
		second <- w.Code
	}()
	for asked.Load() < 2 {
		time.Sleep(time.Millisecond)
	}
	known[key("m")] = account{fails: fault.ErrUserDeactivated}
	clock.Add(2)
	close(end)
	if a, b := <-first, <-second; a != 200 || b != 401 {
		t.Errorf("%d, %d; want 200, 401", a, b)
	}
}
