package alert

import (
	"context"
	"strings"
	"unicode/utf8"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/patterns"
	"chatserver.dev/pkg/store"
)

// Limits of words. Each message that is sent in the organization is searched for them.
const (
	maxWord  = 100   // characters of a word
	maxWords = 1_000 // words of an account, and of a call
)

// ErrLong says that a word is too long. It contains the word's index in the list (rest-api.md, section 4.10).
var ErrLong = fault.Bad("alert_words[%d] is too long (limit: 100 characters)")

// ErrMany says that there would be too many words, or that a call has too many.
var ErrMany = fault.Bad("Too many alert words (limit: 1000)")

// Service stores alert words. It is safe for concurrent use.
type Service struct {
	db    *store.DB
	words *patterns.Cache[*Matcher]
}

// New makes the service.
func New(db *store.DB) *Service { return &Service{db, patterns.New(db, maxSize, read)} }

// List returns a user's words as they were written, in alphabetical order.
func List(ctx context.Context, tx *store.Tx, user id.User) ([]string, error) {
	return tx.AlertWordsOf(ctx, user)
}

// List returns the caller's words.
func (s *Service) List(ctx context.Context, who actor.Actor) ([]string, error) {
	return store.Read(ctx, s.db, who.Org(), func(tx *store.Tx) ([]string, error) { return List(ctx, tx, who.User) })
}

// Add adds words to the caller's, without surrounding white space, and returns all of them. It ignores empty
// and existing words, without regard to case. It fails with [ErrLong] or [ErrMany].
func (s *Service) Add(ctx context.Context, who actor.Actor, words []string) ([]string, error) {
	if len(words) > maxWords {
		return nil, ErrMany
	}
	trimmed := make([]string, 0, len(words))
	for i, word := range words {
		if utf8.RuneCountInString(word) > maxWord {
			return nil, ErrLong.Format(i)
		}
		if word = strings.TrimSpace(word); word != "" {
			trimmed = append(trimmed, word)
		}
	}
	return s.change(ctx, who, func(tx *store.Tx) (int64, error) {
		added, err := tx.AddAlertWords(ctx, who.User, trimmed)
		if err != nil || added == 0 {
			return added, err
		}
		all, err := List(ctx, tx, who.User)
		if len(all) > maxWords { // the transaction is rolled back
			return 0, ErrMany
		}
		return added, err
	})
}

// Remove removes words from the caller's, ignoring case, and returns the remaining ones.
// Words that aren't there are ignored. It fails with [ErrMany] for a call with too many.
func (s *Service) Remove(ctx context.Context, who actor.Actor, words []string) ([]string, error) {
	if len(words) > maxWords {
		return nil, ErrMany
	}
	trimmed := lists.Map(words, strings.TrimSpace)
	return s.change(ctx, who, func(tx *store.Tx) (int64, error) { return tx.RemoveAlertWords(ctx, who.User, trimmed) })
}

// change changes the caller's words and emits the event. how returns the number of changes.
func (s *Service) change(ctx context.Context, who actor.Actor, how func(tx *store.Tx) (int64, error)) (words []string, err error) {
	err = s.db.Write(ctx, who.Org(), func(tx *store.Tx) error {
		if err := tx.LockUser(ctx, int64(who.User)); err != nil {
			return err
		}
		changed, err := how(tx)
		if err != nil {
			return err
		}
		if words, err = List(ctx, tx, who.User); err != nil {
			return err
		}
		if err := tx.Emit(ctx, event.AlertWords{User: who.User, Words: words}); err != nil || changed == 0 {
			return err
		}
		// Last, because changes of the organization's other users wait for this row.
		return tx.CountPatternsChange(ctx)
	})
	return words, err
}
