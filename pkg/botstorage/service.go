package botstorage

import (
	"context"
	"maps"
	"slices"
	"unicode/utf8"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/store"
)

// Limits of an account.
const (
	// maxCharacters is the maximum number of characters in all keys and values together.
	maxCharacters = 10_000_000
	// maxEntries is the maximum number of entries.
	maxEntries = 10_000
	// maxKey is the maximum length of a key in characters.
	maxKey = 500
	// maxChanged is the maximum number of keys in a call.
	maxChanged = 1000
	// portion is the maximum number of entries that one transaction of removeAll removes.
	portion = 1000
)

// Faults of requests.
var (
	ErrNoKey = fault.Plain("Key does not exist.")
	// ErrFull says that a request exceeds the limit on characters. It is formatted with the number of excess characters and the limit.
	ErrFull       = fault.Plain("Request exceeds storage limit by %d characters. The limit is %d characters.")
	ErrEntries    = fault.Plain("Request exceeds storage limit by %d keys. The limit is %d keys.")
	ErrLongKey    = fault.Plain("A key has %d characters. The limit is %d characters.")
	ErrManyAtOnce = fault.Plain("Request has %d keys. The limit is %d keys.")
)

// Service stores entries. It is safe for concurrent use.
type Service struct{ db *store.DB }

// New makes the service.
func New(db *store.DB) *Service { return &Service{db} }

// Put stores entries and replaces those with the same keys. It fails with [ErrManyAtOnce], [ErrLongKey], [ErrFull] or [ErrEntries].
func (s *Service) Put(ctx context.Context, who actor.Actor, entries map[string]string) error {
	if err := checkNumber(len(entries)); err != nil {
		return err
	}
	keys, values, size := slices.Sorted(maps.Keys(entries)), []string{}, int64(0)
	for _, key := range keys {
		n := utf8.RuneCountInString(key)
		if n > maxKey {
			return ErrLongKey.Format(n, maxKey)
		}
		values = append(values, entries[key])
		size += int64(n + utf8.RuneCountInString(entries[key]))
	}
	return s.change(ctx, who, func(tx *store.Tx) error {
		others, err := tx.StoredSize(ctx, who.User, keys)
		if err != nil {
			return err
		}
		if more := others.Characters + size - maxCharacters; more > 0 {
			return ErrFull.Format(more, maxCharacters)
		}
		if more := others.Entries + int64(len(keys)) - maxEntries; more > 0 {
			return ErrEntries.Format(more, maxEntries)
		}
		return tx.Store(ctx, int64(who.User), keys, values)
	})
}

// Get returns the entries with these keys, or all if keys is nil. Entries that are removed meanwhile are missing in the result. It
// fails with [ErrNoKey], [ErrManyAtOnce] or the error of reserve, see [store.DB.ReadLarge].
func (s *Service) Get(ctx context.Context, who actor.Actor, keys *[]string, reserve store.Reserve) (map[string]string, error) {
	named, err := namedBy(keys)
	if err != nil {
		return nil, err
	}
	size := func(tx *store.Tx) (int64, error) {
		size, err := tx.SizeOfStored(ctx, who.User, keys == nil, named)
		if err == nil && keys != nil && size.Entries != int64(len(named)) {
			err = ErrNoKey
		}
		return size.Characters, err
	}
	found := map[string]string{}
	err = s.db.ReadLarge(ctx, who.Org(), reserve, size, func(tx *store.Tx) error {
		rows, err := tx.Stored(ctx, who.User, keys == nil, named)
		for _, row := range rows {
			found[row.Key] = row.Value
		}
		return err
	})
	return found, err
}

// Remove removes the entries with these keys, or all if keys is nil. If it fails with [ErrNoKey] or [ErrManyAtOnce], it has removed
// none.
func (s *Service) Remove(ctx context.Context, who actor.Actor, keys *[]string) error {
	named, err := namedBy(keys)
	if err != nil {
		return err
	}
	if keys == nil {
		return s.removeAll(ctx, who)
	}
	return s.change(ctx, who, func(tx *store.Tx) error {
		size, err := tx.SizeOfStored(ctx, who.User, false, named)
		switch {
		case err != nil:
			return err
		case size.Entries != int64(len(named)):
			return ErrNoKey
		}
		return tx.RemoveStored(ctx, who.User, named)
	})
}

// removeAll removes all entries in several transactions: a single one would delay the events of others.
func (s *Service) removeAll(ctx context.Context, who actor.Actor) error {
	for removed := int64(portion); removed == portion; {
		err := s.db.Write(ctx, who.Org(), func(tx *store.Tx) (err error) {
			removed, err = tx.RemoveSomeStored(ctx, who.User, portion)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// change changes the caller's entries in a transaction. It locks the account, so that changes are serialized.
func (s *Service) change(ctx context.Context, who actor.Actor, work func(tx *store.Tx) error) error {
	return s.db.Write(ctx, who.Org(), func(tx *store.Tx) error {
		if err := tx.LockUser(ctx, int64(who.User)); err != nil {
			return err
		}
		return work(tx)
	})
}

// namedBy returns each key once.
func namedBy(keys *[]string) ([]string, error) {
	if keys == nil {
		return []string{}, nil
	}
	named := slices.Sorted(maps.Keys(lists.Set(*keys)))
	return named, checkNumber(len(named))
}

func checkNumber(n int) error {
	if n > maxChanged {
		return ErrManyAtOnce.Format(n, maxChanged)
	}
	return nil
}
