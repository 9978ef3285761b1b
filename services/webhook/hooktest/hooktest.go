// Package hooktest tests integrations with payloads of third parties.
package hooktest

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/limit"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/services/webhook/hook"
)

// Run posts each testdata/<case>.json to the integration and compares the message with testdata/<case>.md: each topic,
// an empty line, the content. Run the test with -update to write these files. testdata/<case>.query, if it exists, has
// parameters for the address.
func Run(t *testing.T, receive func(hook.Messages) endpoint.Endpoint) {
	t.Helper()
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no payloads in testdata: %v", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			payload, err := os.ReadFile(file) //nolint:gosec // the test's own file
			if err != nil {
				t.Fatal(err)
			}
			said := &recorder{}
			e := receive(said)
			router := endpoint.NewRouter(endpoint.Config{
				Authenticator: anybody{}, Limiter: unlimited{}, Logger: testbed.Logger(t), Now: time.Now,
			}, []endpoint.Endpoint{e})
			target := e.Path() + "?stream=reports&api_key=" + strings.Repeat("k", 32)
			query, err := os.ReadFile(strings.TrimSuffix(file, ".json") + ".query")
			if err == nil {
				target += "&" + strings.TrimSpace(string(query))
			} else if !errors.Is(err, fs.ErrNotExist) {
				t.Fatal(err)
			}
			w := httptest.NewRecorder()
			router.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, target, bytes.NewReader(payload)))
			if w.Code != http.StatusOK {
				t.Fatalf("%d %s", w.Code, w.Body)
			}
			testbed.Golden(t, name+".md", []byte(said.String()))
		})
	}
}

// recorder records messages instead of sending them.
type recorder struct{ drafts []message.Draft }

// Send records the message.
func (r *recorder) Send(_ context.Context, _ actor.Actor, draft message.Draft) (id.Message, error) {
	r.drafts = append(r.drafts, draft)
	return id.Message(len(r.drafts)), nil
}

// NotifyOwner does nothing.
func (*recorder) NotifyOwner(context.Context, actor.Actor, string) error { return nil }

// String returns the recorded messages.
func (r *recorder) String() string {
	text := strings.Builder{}
	for _, d := range r.drafts {
		text.WriteString(*d.Topic + "\n\n" + d.Content + "\n")
	}
	return text.String()
}

// anybody authenticates every request as an incoming webhook bot.
type anybody struct{}

// Authenticate returns a bot.
func (anybody) Authenticate(context.Context, string, string, string) (actor.Actor, error) {
	return actor.New(1, actor.Actor{User: 2, Bot: actor.IncomingWebhook, BotOwner: 1, Role: actor.Member}), nil
}

// Secure implements endpoint.Authenticator.
func (anybody) Secure() bool { return true }

// AuthenticateKey returns a bot.
func (a anybody) AuthenticateKey(ctx context.Context, host, key string) (actor.Actor, error) {
	return a.Authenticate(ctx, host, "", key)
}

// unlimited has no rate limits.
type unlimited struct{}

// Allow allows every request.
func (unlimited) Allow(context.Context, id.User, time.Time) limit.Decision {
	return limit.Decision{Allowed: true}
}
