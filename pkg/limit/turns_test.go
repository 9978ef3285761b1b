package limit_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/limit"
)

// A key has at most its number of turns, keys take turns, and a caller that ends while it waits leaves nothing behind.
func TestTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		turns := limit.NewTurns[id.Org](3, 2)
		if turns.Max() != 3 {
			t.Errorf("at most %d, want 3", turns.Max())
		}
		began := []id.Org(nil)
		ends := []func(){}
		begin := func(ctx context.Context, of id.Org) {
			go func() {
				if end, ok := turns.Take(ctx, of); ok {
					began = append(began, of)
					ends = append(ends, end)
				}
			}()
			synctest.Wait()
		}
		gone, leave := context.WithCancel(t.Context())
		begin(t.Context(), 1)
		begin(t.Context(), 1)
		begin(gone, 1) // waits for another turn of its own
		begin(t.Context(), 1)
		begin(t.Context(), 2)
		begin(gone, 3) // waits for a place
		begin(t.Context(), 3)
		leave()
		synctest.Wait()
		for i := 0; i < len(ends); i++ {
			ends[i]()
			synctest.Wait()
		}
		if want := []id.Org{1, 1, 2, 3, 1}; !slices.Equal(began, want) {
			t.Errorf("turns of %v, want %v", began, want)
		}
		if turns.Known() != 0 {
			t.Errorf("%d keys are left", turns.Known())
		}
	})
}
