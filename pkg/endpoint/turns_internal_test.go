package endpoint

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/id"
)

// However many requests of one organization or account wait, others get their turns in between.
func TestTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		turns := newTurns(1)
		if err := turns.take(t.Context(), 1, 10); err != nil {
			t.Fatal(err)
		}
		type waiting struct {
			org  id.Org
			user id.User
		}
		got := make(chan waiting, 10)
		for _, w := range []waiting{{1, 10}, {1, 10}, {1, 10}, {1, 11}, {2, 20}, {2, 20}, {3, 30}} {
			go func() {
				if err := turns.take(t.Context(), w.org, w.user); err != nil {
					t.Error(err)
				}
				got <- w
			}()
			synctest.Wait()
		}
		order := []waiting{}
		for range cap(got) - 3 {
			turns.pass()
			order = append(order, <-got)
		}
		want := []waiting{{2, 20}, {3, 30}, {1, 11}, {2, 20}, {1, 10}, {1, 10}, {1, 10}}
		if diff := cmp.Diff(want, order, cmp.AllowUnexported(waiting{})); diff != "" {
			t.Errorf("order (-want +got):\n%s", diff)
		}
		soon, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := turns.take(soon, 4, 40); !errors.Is(err, errBusy) {
			t.Errorf("the turn wasn't passed on: %v", err)
		}
		turns.pass()
		if turns.free != 1 || len(turns.waiting)+len(turns.orgs)+len(turns.users) != 0 {
			t.Errorf("in the end: %+v", turns)
		}
	})
}
