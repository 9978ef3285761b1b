package subscription

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
)

const (
	// maxKept is the maximum size of a [subscriberCache], in bytes: two million subscriptions.
	maxKept = 16 << 20
	// keptBytes is the size of a subscription, and keptStreamBytes that of a stream without its subscriptions.
	keptBytes, keptStreamBytes = 8, 128
)

// subscriberCache has the subscribers of streams. It is safe for concurrent use.
type subscriberCache struct {
	limit int // bytes

	mutex sync.Mutex
	kept  map[streamKey]subscribed
	size  int // bytes
}

type streamKey struct {
	org    id.Org
	stream id.Stream
}

// subscribed are the accounts subscribed to a stream, including deactivated ones, ascending. They are immutable.
type subscribed struct {
	xid   uint64 // of the transaction that changed them last
	users []id.User
}

func (s subscribed) size() int { return keptStreamBytes + keptBytes*len(s.users) }

func newSubscriberCache(limit int) *subscriberCache {
	return &subscriberCache{limit: limit, kept: map[streamKey]subscribed{}}
}

// get returns the subscribers of the streams whose current ones are cached, and the ids of the other streams.
func (c *subscriberCache) get(streams []sqlc.Stream) (of map[id.Stream][]id.User, missing []int64) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	of = make(map[id.Stream][]id.User, len(streams))
	for _, s := range streams {
		if found, ok := c.kept[streamKey{s.OrgID, s.StreamID}]; ok && found.xid == s.SubscribersXid {
			of[s.StreamID] = found.users
		} else {
			missing = append(missing, int64(s.StreamID))
		}
	}
	return of, missing
}

// put caches the subscribers of a stream. If there is no room, it evicts arbitrary other streams.
func (c *subscriberCache) put(key streamKey, now subscribed) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.remove(key)
	if now.size() > c.limit/2 {
		return // it would evict too many
	}
	for other := range c.kept {
		if c.size+now.size() <= c.limit {
			break
		}
		c.remove(other)
	}
	c.kept[key] = now
	c.size += now.size()
}

func (c *subscriberCache) remove(key streamKey) {
	if old, ok := c.kept[key]; ok {
		c.size -= old.size()
		delete(c.kept, key)
	}
}

// subscribers returns the active accounts subscribed to each of the streams, ascending, at least as recent as the rows of
// the streams. Streams without any are absent. The transaction must be read-only. The caller must not change the lists.
func (s *Service) subscribers(ctx context.Context, tx *store.Tx, streams []sqlc.Stream) (map[id.Stream][]id.User, error) {
	of, missing := s.cache.get(streams)
	if len(missing) > 0 {
		found, err := readSubscribed(ctx, tx, missing)
		if err != nil {
			return nil, err
		}
		for stream, now := range found {
			of[stream] = now.users
			s.cache.put(streamKey{tx.Org(), stream}, now)
		}
	}
	return activeOnes(ctx, tx, of)
}

// readSubscribers is [Service.subscribers] without the cache, for a transaction that changes subscriptions: it sees its
// own uncommitted changes, which must not be cached.
func readSubscribers(ctx context.Context, tx *store.Tx, streams []sqlc.Stream) (map[id.Stream][]id.User, error) {
	found, err := readSubscribed(ctx, tx, streamNumbers(streams))
	if err != nil {
		return nil, err
	}
	of := make(map[id.Stream][]id.User, len(found))
	for stream, now := range found {
		of[stream] = now.users
	}
	return activeOnes(ctx, tx, of)
}

func readSubscribed(ctx context.Context, tx *store.Tx, streams []int64) (map[id.Stream]subscribed, error) {
	rows, err := tx.SubscribersOf(ctx, streams)
	if err != nil {
		return nil, fmt.Errorf("read subscribers: %w", err)
	}
	of := make(map[id.Stream]subscribed, len(rows))
	for _, row := range rows {
		users := id.Convert[id.User](row.UserIds)
		slices.Sort(users)
		of[row.StreamID] = subscribed{row.SubscribersXid, users}
	}
	return of, nil
}

// activeOnes removes deactivated accounts, and then streams without subscribers, from the map. It doesn't change the
// lists, which are shared.
func activeOnes(ctx context.Context, tx *store.Tx, of map[id.Stream][]id.User) (map[id.Stream][]id.User, error) {
	inactive, err := tx.InactiveUsers(ctx)
	if err != nil {
		return nil, err
	}
	gone := lists.Set(inactive)
	isGone := func(user id.User) bool { return gone[user] }
	for stream, users := range of {
		if len(gone) > 0 && slices.ContainsFunc(users, isGone) {
			users = slices.DeleteFunc(slices.Clone(users), isGone)
		}
		of[stream] = users
		if len(users) == 0 {
			delete(of, stream)
		}
	}
	return of, nil
}
