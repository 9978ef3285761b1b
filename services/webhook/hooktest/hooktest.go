// Package hooktest tests integrations with payloads of third parties.
package hooktest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/catalogue"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/limit"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/services/webhook/hook"
)

// Run posts each <case>.json of a folder, and each <case>.form as an encoded form, to an integration, and compares the
// messages with <case>.md: each topic or other recipient, an empty line, the content. A request that is refused is
// compared by its status and answer. Run the test with -update to write these files. <case>.query, if it exists, has
// parameters for the address, and <case>.header a header of the request, "X-GitHub-Event: push".
//
// Then it removes members of each payload, or replaces them by values of another type: third parties send such things.
// The answer is a success or says what is wrong, and no message is empty.
func Run(t *testing.T, folder string, receive func(hook.Messages) endpoint.Endpoint) {
	t.Helper()
	cases := 0
	for _, kind := range []string{".json", ".form"} {
		files, err := filepath.Glob(folder + "/*" + kind)
		if err != nil {
			t.Fatal(err)
		}
		cases += len(files)
		for _, file := range files {
			name := strings.TrimSuffix(filepath.Base(file), kind)
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				c := newRequest(t, strings.TrimSuffix(file, kind), kind, receive)
				status, answer, said := c.post(t, c.body)
				if status != http.StatusOK {
					said = fmt.Sprintf("%d %s", status, answer)
				}
				testbed.Golden(t, "../"+folder+"/"+name+".md", []byte(said))
				for _, body := range c.mutants(t) {
					if status, answer, _ := c.post(t, body); status != http.StatusOK && status != http.StatusBadRequest {
						t.Errorf("%d %s for %s", status, answer, body)
					}
				}
			})
		}
	}
	if cases == 0 {
		t.Errorf("%s has no cases: add a payload of the third party, such as %[1]s/opened.json, and run the test with -update", folder)
	}
}

// request is the request of a case.
type request struct {
	query, header, value string
	body                 []byte
	form                 bool

	record *recorder
	router http.Handler
	path   string // of the integration
}

func newRequest(t *testing.T, path, kind string, receive func(hook.Messages) endpoint.Endpoint) request {
	t.Helper()
	record := &recorder{}
	e := receive(record)
	router := endpoint.NewRouter(endpoint.Config{
		Authenticator: anybody{}, Limiter: unlimited{}, Logger: testbed.Logger(t), Now: time.Now,
	}, []endpoint.Endpoint{e})
	header, value, _ := strings.Cut(read(t, path+".header"), ":")
	body, err := os.ReadFile(path + kind) //nolint:gosec // the test's own file
	if err != nil {
		t.Fatal(err)
	}
	return request{
		query: read(t, path+".query"), header: header, value: strings.TrimSpace(value), body: body, form: kind == ".form",
		record: record, router: router, path: e.Path(),
	}
}

// read returns the content of a file without white space around it; empty: there is none.
func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path) //nolint:gosec // the test's own file
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(content))
}

// post posts a body, and returns the answer and the messages that were sent.
func (c request) post(t *testing.T, body []byte) (status int, answer, said string) {
	t.Helper()
	c.record.drafts = nil
	target := c.path + "?stream=reports&api_key=" + strings.Repeat("k", 32)
	if c.query != "" {
		target += "&" + c.query
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, target, bytes.NewReader(body))
	if c.header != "" {
		r.Header.Set(c.header, c.value)
	}
	if c.form {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	w := httptest.NewRecorder()
	c.router.ServeHTTP(w, r)
	for _, d := range c.record.drafts {
		if strings.TrimSpace(d.Content) == "" { // it couldn't be sent
			t.Errorf("an empty message to %q for %s", place(d), body)
		}
	}
	return w.Code, w.Body.String(), c.record.String()
}

// bytesPerStep is the size of a payload by which its mutants become sparser: a large payload has most of its members in
// smaller ones, too.
const bytesPerStep = 500

// mutants returns the payload without some of its members, and with other values in place of some.
func (c request) mutants(t *testing.T) [][]byte {
	t.Helper()
	if c.form {
		return nil
	}
	all := [][]byte(nil)
	var whole any
	if json.Unmarshal(c.body, &whole) != nil {
		return nil // a case of what isn't JSON
	}
	step, n := 1+len(c.body)/bytesPerStep, 0
	add := func() {
		if n++; n%step != 0 {
			return
		}
		body, err := json.Marshal(whole)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, body)
	}
	values := []any{nil, "text", 7, true, []any{1, nil, "x"}, map[string]any{"a": 1}}
	var visit func(value any)
	visit = func(value any) {
		switch value := value.(type) {
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(value)) {
				member := value[name]
				delete(value, name)
				add()
				for _, other := range values {
					value[name] = other
					add()
				}
				value[name] = member
				visit(member)
			}
		case []any:
			for i, item := range value {
				for _, other := range values {
					value[i] = other
					add()
				}
				value[i] = item
				visit(item)
			}
		}
	}
	visit(whole)
	return all
}

// recorder records messages instead of sending them.
type recorder struct{ drafts []message.Draft }

// Send records the message. It fails if that is empty, for then it couldn't be sent.
func (r *recorder) Send(_ context.Context, _ actor.Actor, draft message.Draft) (id.Message, error) {
	if strings.TrimSpace(draft.Content) == "" {
		return 0, errors.New("an integration sends an empty message")
	}
	r.drafts = append(r.drafts, draft)
	return id.Message(len(r.drafts)), nil
}

// NotifyOwner does nothing.
func (*recorder) NotifyOwner(context.Context, actor.Actor, catalogue.Notice) error { return nil }

// String returns the recorded messages.
func (r *recorder) String() string {
	text := strings.Builder{}
	for _, d := range r.drafts {
		text.WriteString(place(d) + "\n\n" + d.Content + "\n")
	}
	return text.String()
}

// place returns the topic of a message, or the recipients if it is private.
func place(d message.Draft) string {
	if d.Topic == nil {
		return *d.To
	}
	return *d.Topic
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
