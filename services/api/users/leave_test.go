package users_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/services/servicetest"
)

// Of two owners who leave, or remove each other, at the same moment one stays.
func TestLeave(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	a, b, member := w.Person("Ann", actor.Owner), w.Person("Bob", actor.Owner), w.Person("Mia", actor.Member)
	member.Do(http.MethodDelete, "/users/me", nil).OK()
	wg := sync.WaitGroup{}
	answers := [2]servicetest.Answer{}
	wg.Go(func() { answers[0] = a.Do(http.MethodDelete, "/users/me", nil) })
	wg.Go(func() { answers[1] = b.Do(http.MethodDelete, "/users/me", nil) })
	wg.Wait()
	if answers[0].Status != http.StatusOK {
		answers[0], answers[1] = answers[1], answers[0]
	}
	answers[0].OK()
	last := answers[1].Fails(400, "CANNOT_DEACTIVATE_LAST_USER", "Cannot deactivate the only organization owner.")
	if !strings.Contains(last.Body, `"entity":"organization owner"`) || !strings.Contains(last.Body, `"is_last_owner":true`) {
		t.Error(last.Body)
	}
}
