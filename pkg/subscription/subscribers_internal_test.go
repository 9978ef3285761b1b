package subscription

import (
	"slices"
	"testing"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store/sqlc"
)

// The size of the cache is limited, and a cached list is used only for its own transaction.
func TestKeptSubscribers(t *testing.T) {
	t.Parallel()
	r := newSubscriberCache(10 * (keptStreamBytes + 10*keptBytes))
	for stream := id.Stream(1); stream <= 100; stream++ {
		for xid := uint64(1); xid <= 2; xid++ {
			r.put(streamKey{1, stream}, subscribed{xid, make([]id.User, 10)})
		}
	}
	r.put(streamKey{1, 101}, subscribed{1, make([]id.User, 1000)})
	if _, ok := r.kept[streamKey{1, 100}]; !ok || len(r.kept) != 10 || r.size != r.limit {
		t.Errorf("%d streams are kept, in %d of %d bytes", len(r.kept), r.size, r.limit)
	}
	of, missing := r.get([]sqlc.Stream{
		{OrgID: 1, StreamID: 100, SubscribersXid: 2}, {OrgID: 2, StreamID: 100, SubscribersXid: 2}, {OrgID: 1, StreamID: 101, SubscribersXid: 1},
	})
	if len(of[100]) != 10 || !slices.Equal(missing, []int64{100, 101}) {
		t.Errorf("got %v, without %v", of, missing)
	}
	if _, missing = r.get([]sqlc.Stream{{OrgID: 1, StreamID: 100, SubscribersXid: 1}}); len(missing) != 1 {
		t.Error("got the current subscribers instead of the earlier ones")
	}
}
