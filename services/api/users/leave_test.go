package users_test

import (
	"crypto/rand"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/user"
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

// However two owners give up the role, or take each other's, at the same time, one keeps it.
func TestLastOwnerAtOnce(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	db := storetest.Connect(t, w.DatabaseURL)
	lower := func(by, of servicetest.Account) { by.Do(http.MethodPatch, at(of), params{"role": 400}) }
	acts := map[string]func(a, b servicetest.Account){
		"leave": func(a, _ servicetest.Account) { a.Do(http.MethodDelete, "/users/me", nil) }, "lower oneself": func(a, _ servicetest.Account) { lower(a, a) },
		"lower": lower, "deactivate": func(a, b servicetest.Account) { a.Do(http.MethodDelete, at(b), nil) },
	}
	for first, one := range acts {
		for second, other := range acts {
			o := w.NewOrg(strings.ToLower(rand.Text()))
			a := w.Account(o, user.Draft{FullName: "Olga", Role: actor.Owner})
			b := w.Account(o, user.Draft{FullName: "Odo", Role: actor.Owner})
			both := sync.WaitGroup{}
			both.Go(func() { one(a, b) })
			both.Go(func() { other(b, a) })
			both.Wait()
			if left := storetest.Values[int64](db, "select count(*) from users where org_id = $1 and role = 100 and active and bot_type is null", o.ID)[0]; left != 1 {
				t.Errorf("%s and %s: %d owners are left", first, second, left)
			}
		}
	}
}
