package transfer

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// In whatever order an archive has the rows of a reader, exactly the unread messages are in the ranges.
func TestUnreadInAnyOrder(t *testing.T) {
	t.Parallel()
	for seed := range uint64(2000) {
		random := rand.New(rand.NewPCG(seed, 0))
		of, read, numbers := unread{last: -1}, map[int32]bool{}, spans{}
		order := random.Perm(12)
		for _, at := range order[:1+random.IntN(12)] {
			read[int32(at)] = random.IntN(2) == 0
			of.note(int32(at), read[int32(at)])
			numbers.add(int32(at))
		}
		for at, read := range read {
			if inside := slices.ContainsFunc(of.ranges, func(r [2]int32) bool { return r[0] <= at && at <= r[1] }); inside == read {
				t.Errorf("seed %d, %v: message %d is read: %t, and among the unread ones: %t", seed, order, at, read, inside)
			}
		}
		sorted, total := numbers.sorted(), int32(0)
		for i, r := range sorted {
			total += r[1] - r[0] + 1
			if i > 0 && sorted[i-1][1]+1 >= r[0] {
				t.Errorf("seed %d, %v: the ranges %v aren't in order, or adjacent", seed, order, sorted)
			}
		}
		if int(total) != len(read) {
			t.Errorf("seed %d, %v: the ranges %v have %d numbers", seed, order, sorted, total)
		}
	}
}
