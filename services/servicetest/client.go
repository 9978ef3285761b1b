package servicetest

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// Params are a request's parameters. Strings are sent unchanged, other values as JSON.
type Params map[string]any

func (p Params) encode(t testing.TB) string {
	t.Helper()
	values := url.Values{}
	for name, value := range p {
		if text, ok := value.(string); ok {
			values.Set(name, text)
			continue
		}
		text, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		values.Set(name, string(text))
	}
	return values.Encode()
}

// Answer is the response to a call.
type Answer struct {
	Status int
	Header http.Header
	Body   string
	t      testing.TB
}

// Do makes a call as the account. The path is below /api/v1. Parameters are in the query string of GET requests, and
// otherwise in the body. The test fails if the answer doesn't conform to the OpenAPI document.
func (a Account) Do(method, path string, params Params) Answer {
	a.world.T.Helper()
	recorder := httptest.NewRecorder()
	r := a.Send(recorder, method, path, params.encode(a.world.T))
	KeepsContract(a.world.T, r, recorder)
	return Answer{Status: recorder.Code, Header: recorder.Header(), Body: recorder.Body.String(), t: a.world.T}
}

// Send is [Account.Do] with encoded parameters, and without checks of the answer. It returns the request.
func (a Account) Send(answer http.ResponseWriter, method, path, params string) *http.Request {
	a.world.T.Helper()
	body, query := params, ""
	if method == http.MethodGet {
		body, query = "", "?"+params
	}
	r := httptest.NewRequestWithContext(a.world.T.Context(), method, "/api/v1"+path+query, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	a.serve(answer, r)
	return r
}

// serve serves a request of the account, at the host of its organization. An account without an address isn't
// authenticated.
func (a Account) serve(answer http.ResponseWriter, r *http.Request) {
	r.Host = Host
	if a.Org.Subdomain != "" {
		r.Host = a.Org.Subdomain + "." + Host
	}
	r.Header.Set("User-Agent", cmp.Or(a.UserAgent, "Test/1.0"))
	if a.IdempotencyKey != "" {
		r.Header.Set("Idempotency-Key", a.IdempotencyKey)
	}
	if a.RealEmail != "" {
		r.SetBasicAuth(a.RealEmail, a.Key)
	}
	handler := a.handler
	if handler == nil {
		handler = a.world.Handler
	}
	handler.ServeHTTP(answer, r)
}

// OK fails the test unless the call succeeded.
func (a Answer) OK() Answer {
	a.t.Helper()
	if a.Status != http.StatusOK {
		a.t.Fatalf("status %d: %s", a.Status, a.Body)
	}
	return a
}

// Fails fails the test unless the call failed with the status and with that message and code.
func (a Answer) Fails(status int, code, msg string) Answer {
	a.t.Helper()
	got := struct{ Result, Code, Msg string }{}
	a.Decode(&got)
	if a.Status != status || got.Result != "error" || got.Code != code || got.Msg != msg {
		a.t.Errorf("status %d %s\nwant %d %q %q", a.Status, a.Body, status, code, msg)
	}
	return a
}

// Decode reads the answer's JSON into a pointer.
func (a Answer) Decode(into any) {
	a.t.Helper()
	if err := json.Unmarshal([]byte(a.Body), into); err != nil {
		a.t.Fatalf("%v: %s", err, a.Body)
	}
}

// Event is an event as a client receives it.
type Event struct {
	ID             int64          `json:"id"`
	Type           string         `json:"type"`
	Op             string         `json:"op"`
	Flags          []string       `json:"flags"`
	LocalMessageID *string        `json:"local_message_id"`
	Message        map[string]any `json:"message"`
	// Fields of update_message_flags.
	Operation string  `json:"operation"`
	Flag      string  `json:"flag"`
	Messages  []int64 `json:"messages"`
	All       bool    `json:"all"`
}

// Queue is a client's event queue.
type Queue struct {
	ID     string
	Last   int64
	client Account
}

// Register registers a queue.
func (a Account) Register(params Params) *Queue {
	a.world.T.Helper()
	return a.RegisterInto(params, &struct{}{})
}

// RegisterInto is [Account.Register] that decodes the initial state, too.
func (a Account) RegisterInto(params Params, state any) *Queue {
	a.world.T.Helper()
	reply := struct {
		QueueID     string `json:"queue_id"`
		LastEventID int64  `json:"last_event_id"`
	}{}
	answer := a.Do(http.MethodPost, "/register", params).OK()
	answer.Decode(&reply)
	answer.Decode(state)
	return &Queue{ID: reply.QueueID, Last: reply.LastEventID, client: a}
}

// Queue returns a queue that was registered by other means than Register.
func (a Account) Queue(name string, last int64) *Queue {
	return &Queue{ID: name, Last: last, client: a}
}

// Poll returns the next events. If there are none, it waits for one.
func (q *Queue) Poll() []Event {
	q.client.world.T.Helper()
	return q.poll(false)
}

// Pending returns the events that are in the queue, without waiting.
func (q *Queue) Pending() []Event {
	q.client.world.T.Helper()
	return q.poll(true)
}

func (q *Queue) poll(immediate bool) []Event {
	q.client.world.T.Helper()
	reply := struct{ Events []Event }{}
	q.client.Do(http.MethodGet, "/events", Params{"queue_id": q.ID, "last_event_id": q.Last, "dont_block": immediate}).OK().Decode(&reply)
	for _, e := range reply.Events {
		if e.ID <= q.Last {
			q.client.world.T.Errorf("event %d after %d", e.ID, q.Last)
		}
		q.Last = e.ID
	}
	return reply.Events
}

// SendStream sends to a stream and returns the message's id.
func (a Account) SendStream(stream, topic, content string) int64 {
	a.world.T.Helper()
	reply := struct{ ID int64 }{}
	a.Do(http.MethodPost, "/messages", Params{"type": "stream", "to": stream, "topic": topic, "content": content}).OK().Decode(&reply)
	return reply.ID
}

func slug(name string) string { return strings.ToLower(strings.ReplaceAll(name, " ", ".")) }

// Nobody returns a client without an account, at the first organization's host.
func (w *World) Nobody() Account { return Account{Org: w.Org, world: w} }
