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
	// mostKept bounds the memory of what a process keeps of who is subscribed to what: two million subscriptions.
	mostKept = 16 << 20
	// keptBytes is what one subscription takes, and keptStreamBytes a stream beside them.
	keptBytes, keptStreamBytes = 8, 128
)

// roll keeps who is subscribed to streams. It is safe for concurrent use.
type roll struct {
	most int // bytes

	mutex sync.Mutex
	kept  map[streamKey]subscribed
	size  int // bytes
}

type streamKey struct {
	org    id.Org
	stream id.Stream
}

// subscribed are the accounts subscribed to a stream, deactivated ones too, ascending. They are never changed.
type subscribed struct {
	xid   uint64 // of the transaction that changed them last
	users []id.User
}

func (s subscribed) size() int { return keptStreamBytes + keptBytes*len(s.users) }

func newRoll(most int) *roll { return &roll{most: most, kept: map[streamKey]subscribed{}} }

// get returns who is subscribed to those of the streams that it keeps as they were changed last, and the others.
func (r *roll) get(streams []sqlc.Stream) (of map[id.Stream][]id.User, missing []int64) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	of = make(map[id.Stream][]id.User, len(streams))
	for _, s := range streams {
		if found, ok := r.kept[streamKey{s.OrgID, s.StreamID}]; ok && found.xid == s.SubscribersXid {
			of[s.StreamID] = found.users
		} else {
			missing = append(missing, int64(s.StreamID))
		}
	}
	return of, missing
}

// put keeps who is subscribed to a stream, in place of others where there is no room. Which of them doesn't matter: they
// are read again.
func (r *roll) put(key streamKey, now subscribed) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.remove(key)
	if now.size() > r.most/2 {
		return // it would displace too many
	}
	for other := range r.kept {
		if r.size+now.size() <= r.most {
			break
		}
		r.remove(other)
	}
	r.kept[key] = now
	r.size += now.size()
}

func (r *roll) remove(key streamKey) {
	if old, ok := r.kept[key]; ok {
		r.size -= old.size()
		delete(r.kept, key)
	}
}

// subscribers returns the active accounts subscribed to each of the streams, ascending, as they are since the rows of the
// streams were read. Streams without any are absent. The transaction must be one that only reads. The lists must not be
// changed.
func (s *Service) subscribers(ctx context.Context, tx *store.Tx, streams []sqlc.Stream) (map[id.Stream][]id.User, error) {
	of, missing := s.roll.get(streams)
	if len(missing) > 0 {
		found, err := readSubscribed(ctx, tx, missing)
		if err != nil {
			return nil, err
		}
		for stream, now := range found {
			of[stream] = now.users
			s.roll.put(streamKey{tx.Org(), stream}, now)
		}
	}
	return activeOnes(ctx, tx, of)
}

// readSubscribers is [Service.subscribers] for a transaction that changes subscriptions, which sees what nobody else does.
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

// activeOnes leaves out deactivated accounts, and then streams without subscribers, from the map; the lists stay as they are.
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
