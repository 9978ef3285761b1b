package scim_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"chatserver.dev/services/servicetest"
)

// unread is a response whose reader blocks until the channel is closed.
type unread struct {
	*httptest.ResponseRecorder
	begun chan<- struct{}
	until <-chan struct{}
}

func (u unread) Write(p []byte) (int, error) {
	u.begun <- struct{}{}
	<-u.until
	return u.ResponseRecorder.Write(p)
}

// A provider that doesn't read its responses doesn't delay those of other organizations.
func TestUnread(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	theirs := w.issueIn(w.NewOrg("rival").ID)
	const many = 8
	begun, until, calls := make(chan struct{}, many), make(chan struct{}), sync.WaitGroup{}
	answers := make([]*httptest.ResponseRecorder, many)
	get := func(ctx context.Context, into http.ResponseWriter, host, token string) {
		r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/scim/v2/Users", nil)
		r.Host = host
		r.Header.Set("Authorization", "Bearer "+token)
		w.handler.ServeHTTP(into, r)
	}
	for i := range answers {
		answers[i] = httptest.NewRecorder()
		calls.Go(func() { get(t.Context(), unread{answers[i], begun, until}, "rival."+servicetest.Host, theirs) })
		if i < many/2 {
			<-begun // an answer that isn't read takes no turn; only the fifth call waits for an answer to be read
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	own := httptest.NewRecorder()
	get(ctx, own, servicetest.Host, w.token)
	if own.Code != http.StatusOK || own.Body.Len() == 0 {
		t.Errorf("status %d, %s", own.Code, own.Body)
	}
	if len(begun) > 0 {
		t.Error("a fifth answer is in memory")
	}
	close(until)
	calls.Wait()
	for _, answer := range answers {
		if answer.Code != http.StatusOK {
			t.Errorf("one of those who wait: %d", answer.Code)
		}
	}
}

// A provider that sends its bodies slowly has few of them in memory, and doesn't delay the calls of other organizations.
func TestSlowBodies(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	theirs := w.issueIn(w.NewOrg("rival").ID)
	const many = 8
	begun, until, calls := make(chan struct{}, many), make(chan struct{}), sync.WaitGroup{}
	statuses := make([]int, many)
	for i := range statuses {
		calls.Go(func() {
			once := sync.OnceFunc(func() { begun <- struct{}{}; <-until })
			body := &reading{strings.NewReader(fmt.Sprintf(`{"userName": "new%d@%s", "active": true}`, i, servicetest.Host)), once}
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/scim/v2/Users", body)
			r.Host = servicetest.Host
			r.Header.Set("Authorization", "Bearer "+w.token)
			answer := httptest.NewRecorder()
			w.handler.ServeHTTP(answer, r)
			statuses[i] = answer.Code
		})
		if i < many/2 {
			<-begun
		}
	}
	if status, reply := w.at("rival."+servicetest.Host, theirs, http.MethodPost, "/Users", mia); status != 201 {
		t.Errorf("%d %v", status, reply)
	}
	if len(begun) > 0 {
		t.Error("a fifth body is read")
	}
	close(until)
	calls.Wait()
	for _, status := range statuses {
		if status != 201 {
			t.Errorf("one of those who wait: %d", status)
		}
	}
}
