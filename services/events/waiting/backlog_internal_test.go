package waiting

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/id"
)

// Organizations take turns, whichever of them has more items. What is put back comes first, in the same order.
func TestBacklogTakesTurns(t *testing.T) {
	t.Parallel()
	type item struct{ Org, Number int }
	b := newBacklog(func(i item) id.Org { return id.Org(i.Org) })
	for n := range batch + 20 {
		b.add(item{1, n})
	}
	b.add(item{2, 0})
	b.add(item{3, 0})
	b.add(item{3, 1})
	first := b.take()
	if diff := cmp.Diff([]item{{1, 0}, {2, 0}, {3, 0}, {1, 1}, {3, 1}, {1, 2}}, first[:6]); diff != "" || len(first) != batch {
		t.Errorf("the first of %d items (-want +got):\n%s", len(first), diff)
	}
	b.putBack(first[4:6])
	b.add(item{2, 1})
	second := b.take()
	if diff := cmp.Diff([]item{{3, 1}, {1, 2}, {2, 1}, {1, batch - 3}}, second[:4]); diff != "" {
		t.Errorf("after putting back (-want +got):\n%s", diff)
	}
	if rest := b.take(); len(second)+len(rest) != 26 || len(b.items)+len(b.turns) != 0 {
		t.Errorf("%d and %d items are left; then %v", len(second), len(rest), b.items)
	}
}
