// Package hooktest runs integrations on payloads as third parties send them.
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

// Run posts each testdata/<case>.json to the integration and compares the message with
// testdata/<case>.md: each topic, an empty line, the content. Run the test with -update to write those.
// testdata/<case>.query, where there is one, has parameters for the address.
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

// recorder keeps what is said instead of sending it.
type recorder struct{ drafts []message.Draft }

// Send keeps the message.
func (r *recorder) Send(_ context.Context, _ actor.Actor, draft message.Draft) (id.Message, error) {
	r.drafts = append(r.drafts, draft)
	return id.Message(len(r.drafts)), nil
}

// NotifyOwner does nothing.
func (*recorder) NotifyOwner(context.Context, actor.Actor, string) error { return nil }

// String is everything that was said.
func (r *recorder) String() string {
	text := strings.Builder{}
	for _, d := range r.drafts {
		text.WriteString(*d.Topic + "\n\n" + d.Content + "\n")
	}
	return text.String()
}

// anybody lets everybody in, as an incoming webhook bot.
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

// unlimited counts nothing.
type unlimited struct{}

// Allow allows.
func (unlimited) Allow(context.Context, id.User, time.Time) limit.Decision {
	return limit.Decision{Allowed: true}
}
