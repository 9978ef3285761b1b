package fair_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"

	"chatserver.dev/pkg/fair"
	"chatserver.dev/pkg/id"
)

// A caller of one organization waits only for those who work, and not for the many of another one that wait.
func TestOrganizationsTakeTurns(t *testing.T) {
	t.Parallel()
	const busy, other = id.Org(1), id.Org(2)
	for perOrg, want := range map[int][]id.Org{
		1: {busy, other, busy, busy},
		2: {busy, busy, other, busy},
	} {
		synctest.Test(t, func(t *testing.T) {
			all, next, began := fair.NewSemaphore(2, perOrg), make(chan struct{}), []id.Org(nil)
			for _, of := range []id.Org{busy, busy, busy, other} {
				go func() {
					end, ok := all.Acquire(t.Context(), of)
					if !ok {
						t.Error("no turn")
						return
					}
					began = append(began, of)
					<-next
					end()
				}()
				synctest.Wait()
			}
			for range 4 {
				next <- struct{}{}
				synctest.Wait()
			}
			if !slices.Equal(began, want) {
				t.Errorf("%d of an organization at a time: %v, want %v", perOrg, began, want)
			}
		})
	}
}

// A caller who gives up, wherever it waits, takes nobody's turn.
func TestEnded(t *testing.T) {
	t.Parallel()
	all := fair.NewSemaphore(1, 2)
	end, _ := all.Acquire(t.Context(), 1)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, of := range []id.Org{1, 2} {
		if _, ok := all.Acquire(ended, of); ok {
			t.Errorf("organization %d has a second turn", of)
		}
	}
	end()
	for _, of := range []id.Org{1, 2, 1} {
		end, ok := all.Acquire(t.Context(), of)
		if !ok {
			t.Fatalf("no turn for organization %d", of)
		}
		end()
	}
}
