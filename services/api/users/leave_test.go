package users_test

import (
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/services/servicetest"
)

// If all owners leave at the same moment, one stays.
func TestLeave(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	w.Person("Mia", actor.Member).Do(http.MethodDelete, "/users/me", nil).OK()
	owners := [8]servicetest.Account{}
	for i := range owners {
		owners[i] = w.Person("Olga "+strconv.Itoa(i), actor.Owner)
		owners[i].Do(http.MethodGet, "/users/me", nil).OK() // so that they are authenticated from the cache later
	}
	wg, answers := sync.WaitGroup{}, [len(owners)]servicetest.Answer{}
	for i, owner := range owners {
		wg.Go(func() { answers[i] = owner.Do(http.MethodDelete, "/users/me", nil) })
	}
	wg.Wait()
	stay := 0
	for _, answer := range answers {
		if answer.Status == http.StatusOK {
			continue
		}
		stay++
		answer.Fails(400, "CANNOT_DEACTIVATE_LAST_USER", "Cannot deactivate the only organization owner.")
		if !strings.Contains(answer.Body, `"entity":"organization owner"`) || !strings.Contains(answer.Body, `"is_last_owner":true`) {
			t.Error(answer.Body)
		}
	}
	if stay != 1 {
		t.Errorf("%d owners stay", stay)
	}
}
