package messages_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/services/servicetest"
)

func cancel(a servicetest.Account, scheduled int64) servicetest.Answer {
	return a.Do(http.MethodDelete, fmt.Sprintf("/scheduled_messages/%d", scheduled), nil)
}

func TestCancel(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, ada := w.Person("Ann", actor.Member), w.Person("Ada", actor.Owner)
	w.stream(ann, "hall", nil)
	before := w.said()
	for _, content := range []string{"one", "two"} {
		ann.Do(http.MethodPost, "/messages", later("send_later", params{"content": content})).OK()
	}
	const refusal = "Invalid scheduled message ID."
	list := waiting(ann, 0)
	cancel(ada, list[0].ID).Fails(400, "BAD_REQUEST", refusal) // another account's
	cancel(ann, list[0].ID).OK()
	cancel(ann, list[0].ID).Fails(400, "BAD_REQUEST", refusal)
	cancel(ann, 987654321).Fails(400, "BAD_REQUEST", refusal)
	w.sendAll(2 * time.Hour)
	servicetest.Same(t, "what is said", append(before, "Ann #hall t: two"), w.said())
	cancel(ann, list[1].ID).Fails(400, "BAD_REQUEST", refusal) // it has been sent
}

// A message that is cancelled while it is being sent is either sent or cancelled, and the response is correct.
func TestCancelWhileSent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.Person("Ann", actor.Member)
	w.stream(ann, "hall", nil)
	before, cancelled := len(w.said()), 0
	const all = 20
	for range all {
		ann.Do(http.MethodPost, "/messages", later("send_later", nil)).OK()
	}
	work := sync.WaitGroup{}
	work.Go(func() { w.sendAll(2 * time.Hour) })
	for _, m := range waiting(ann, 0) {
		if cancel(ann, m.ID).Status == http.StatusOK {
			cancelled++
		}
	}
	work.Wait()
	w.sendAll(2 * time.Hour)
	servicetest.Same(t, "messages that were sent or cancelled", all, len(w.said())-before+cancelled)
}
