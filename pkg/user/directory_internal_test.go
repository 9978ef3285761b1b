package user

import (
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"chatserver.dev/pkg/id"
)

// What is kept has a limit: the lists that were asked for last stay.
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

// Callers share a query, but never one that began before they asked; a failure is for one of them alone.
func TestSharedQuery(t *testing.T) {
	t.Parallel()
	var (
		q       sharedQuery
		mutex   sync.Mutex
		value   int64 // what a query finds
		queries int
	)
	query := func() (int64, error) {
		mutex.Lock()
		defer mutex.Unlock()
		if queries++; queries == 1 {
			return 0, errors.New("no")
		}
		return value, nil
	}
	if _, err := q.ask(time.Now, query); err == nil {
		t.Error("the error is missing")
	}
	const callers = 200
	var group sync.WaitGroup
	for range callers {
		group.Go(func() {
			mutex.Lock()
			value++
			want := value
			mutex.Unlock()
			if got, err := q.ask(time.Now, query); err != nil || got < want {
				t.Errorf("%d, %v, want %d at least", got, err, want)
			}
		})
	}
	group.Wait()
	if queries > callers/4 {
		t.Errorf("%d queries of %d callers", queries, callers)
	}
}
