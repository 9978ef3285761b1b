package subscription

import (
	"context"
	"slices"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/stream"
)

// named is the streams that the names of a request refer to.
type named struct {
	// known are the active streams, in the order of the names, each once.
	known []stream.Visible
	// missing are the indexes of names that no stream has, once for names that differ only in case.
	missing []int
	// indexes has the index of the first name of each known or created stream.
	indexes map[id.Stream]int
}

// inOrder returns existing and created streams in the order of the names. created are the missing ones, in their order.
func (n named) inOrder(existing, created []sqlc.Stream) []sqlc.Stream {
	for i, row := range created {
		n.indexes[row.StreamID] = n.missing[i]
	}
	all := slices.Concat(existing, created)
	slices.SortStableFunc(all, func(a, b sqlc.Stream) int { return n.indexes[a.StreamID] - n.indexes[b.StreamID] })
	return all
}

// endable returns the streams that are deactivated when their last subscriber leaves.
func (n named) endable() []sqlc.Stream {
	private := []sqlc.Stream(nil)
	for _, seen := range n.known {
		if seen.InviteOnly {
			private = append(private, seen.Stream)
		}
	}
	return private
}

// findNamed finds the streams with these names.
func findNamed(ctx context.Context, tx *store.Tx, who actor.Actor, names []string) (named, error) {
	keys, err := tx.NameKeys(ctx, names)
	if err != nil {
		return named{}, err
	}
	byKey, err := findKeys(ctx, tx, who, keys)
	return match(keys, byKey), err
}

func findKeys(ctx context.Context, tx *store.Tx, who actor.Actor, keys []string) (map[string]stream.Visible, error) {
	rows, err := tx.StreamsByKey(ctx, who.User, keys)
	byKey := make(map[string]stream.Visible, len(rows))
	for _, row := range rows {
		byKey[row.Stream.NameKey] = stream.Visible{Stream: row.Stream, Subscribed: row.Subscribed}
	}
	return byKey, err
}

// lockNamed finds the streams with these names and takes the locks on their subscriptions, and on
// those of more. It must come before the transaction's first write.
func lockNamed(ctx context.Context, tx *store.Tx, who actor.Actor, names []string, more ...id.Stream) (named, error) {
	keys, err := tx.NameKeys(ctx, names)
	if err != nil {
		return named{}, err
	}
	locked := map[id.Stream]bool{}
	for {
		byKey, err := findKeys(ctx, tx, who, keys)
		if err != nil {
			return named{}, err
		}
		lock := slices.Clone(more)
		for _, seen := range byKey {
			lock = append(lock, seen.StreamID)
		}
		lock = slices.DeleteFunc(lock, func(s id.Stream) bool { return locked[s] })
		if len(lock) == 0 {
			found := match(keys, byKey)
			return found, stream.LockEnding(ctx, tx, found.endable()...)
		}
		// The streams may change until the locks are held, so they are looked up again then.
		slices.Sort(lock)
		for _, s := range slices.Compact(lock) {
			if err := tx.LockSubscriptions(ctx, s); err != nil {
				return named{}, err
			}
			locked[s] = true
		}
	}
}

func match(keys []string, byKey map[string]stream.Visible) named {
	n := named{indexes: map[id.Stream]int{}}
	seen := make(map[string]bool, len(keys))
	for i, key := range keys {
		if seen[key] {
			continue
		}
		seen[key] = true
		if found, ok := byKey[key]; ok {
			n.known = append(n.known, found)
			n.indexes[found.StreamID] = i
		} else {
			n.missing = append(n.missing, i)
		}
	}
	return n
}
