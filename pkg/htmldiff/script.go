package htmldiff

// step is one step of a comparison: tokens that were inserted and deleted at the same place, and then tokens that are
// unchanged. It contains their numbers.
type step struct{ inserted, deleted, kept int }

// maxChanges is the maximum number of changed tokens to find. Texts with more changes differ in one large step. Time
// and memory grow with its square: 1 MB.
const maxChanges = 500

// compare returns the steps from one list of tokens to another.
func compare(before, after []token) []step {
	head := 0
	for head < min(len(before), len(after)) && before[head].key == after[head].key {
		head++
	}
	tail := 0
	for tail < min(len(before), len(after))-head && before[len(before)-1-tail].key == after[len(after)-1-tail].key {
		tail++
	}
	b, a := before[head:len(before)-tail], after[head:len(after)-tail]
	steps := append([]step{{kept: head}}, shortest(b, a)...)
	return append(steps, step{kept: tail})
}

// shortest returns a minimal sequence of steps from before to after, by Myers' greedy algorithm: reach[k] is the
// furthest position in before that d changes reach on the diagonal k. k is the number of deleted tokens minus that of
// inserted tokens.
func shortest(before, after []token) []step {
	n, m := len(before), len(after)
	limit := min(n+m, maxChanges)
	reach := make([]int32, 2*limit+2)
	trace := make([][]int32, 0, 16)
	for d := range limit + 1 {
		for k := -d; k <= d; k += 2 {
			x := 0
			switch {
			case d == 0:
			case k == -d || k != d && reach[limit+k-1] < reach[limit+k+1]:
				x = int(reach[limit+k+1])
			default:
				x = int(reach[limit+k-1]) + 1
			}
			for x < n && x-k < m && x-k >= 0 && before[x].key == after[x-k].key {
				x++
			}
			reach[limit+k] = int32(x)
			if x >= n && x-k >= m {
				return walk(trace, n, m)
			}
		}
		trace = append(trace, append([]int32(nil), reach[limit-d:limit+d+1]...))
	}
	return []step{{inserted: m, deleted: n}}
}

// walk follows the path back from the end and returns it as steps. trace[d][k+d] is the reach after d changes.
func walk(trace [][]int32, n, m int) []step {
	ways := make([]step, 0, len(trace)+1) // last first; each is one change and the unchanged tokens after it
	x, k := n, n-m
	for d := len(trace); d > 0; d-- {
		before := trace[d-1]
		at := func(k int) int { return int(before[k+d-1]) }
		inserted := k == -d || k != d && k+1 <= d-1 && (k-1 < -(d-1) || at(k-1) < at(k+1))
		if inserted {
			k++
			ways = append(ways, step{inserted: 1, kept: x - at(k)})
			x = at(k)
		} else {
			k--
			ways = append(ways, step{deleted: 1, kept: x - at(k) - 1})
			x = at(k)
		}
	}
	steps := []step{{kept: x}}
	for i := len(ways) - 1; i >= 0; i-- {
		last := &steps[len(steps)-1]
		if last.kept == 0 {
			last.inserted += ways[i].inserted
			last.deleted += ways[i].deleted
			last.kept = ways[i].kept
		} else {
			steps = append(steps, ways[i])
		}
	}
	return steps
}
