package user

import (
	"slices"
	"testing"

	"chatserver.dev/pkg/id"
)

// The size of the cache is limited. The most recently used lists are kept.
func TestKeptLists(t *testing.T) {
	t.Parallel()
	d := newDirectory(100)
	put := func(org id.Org, changes int64, bytes int) {
		d.put(&directoryEntry{directoryKey: directoryKey{org: org}, changes: changes, lists: Lists{Members: make([]byte, bytes)}})
	}
	for org := range id.Org(4) {
		put(org, 1, 30)
		d.get(directoryKey{org: 0})
	}
	put(9, 1, 51)
	put(3, 2, 40)
	put(3, 1, 1) // of an earlier snapshot
	kept := []id.Org{}
	for key := range d.kept {
		kept = append(kept, key.org)
	}
	slices.Sort(kept)
	if !slices.Equal(kept, []id.Org{0, 2, 3}) || d.size != 100 || d.recent.Len() != 3 {
		t.Errorf("kept: %v, %d bytes", kept, d.size)
	}
}
