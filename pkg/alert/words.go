package alert

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
)

// maxSize is the maximum total size of cached words of all organizations, in the unit of [Matcher.size].
const maxSize = 1_000_000

// Words returns the words of the organization's users, cached by package patterns; nil if there were never any.
func (s *Service) Words(ctx context.Context, who actor.Actor) (*Matcher, error) {
	return s.words.Of(ctx, who)
}

// WordsIn is [Service.Words] in a transaction. It uses no other transaction, and doesn't wait for other callers.
func (s *Service) WordsIn(ctx context.Context, tx *store.Tx, who actor.Actor) (*Matcher, error) {
	return s.words.In(ctx, tx, who)
}

// read reads the words of an organization.
func read(ctx context.Context, tx *store.Tx) (m *Matcher, size int, err error) {
	rows, err := tx.AllAlertWords(ctx)
	if err != nil {
		return nil, 0, err
	}
	words := map[id.User][]string{}
	for _, row := range rows {
		words[row.UserID] = append(words[row.UserID], row.Word)
	}
	m = NewMatcher(words)
	return m, m.size(), nil
}
