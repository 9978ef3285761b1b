package feed

import (
	"context"
	"maps"
	"slices"
	"strconv"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/narrow"
	"chatserver.dev/pkg/store"
)

// Match is how a message matches a search (rest-api.md, section 2.4.4).
type Match struct {
	// Content is its HTML, with matches highlighted.
	Content string `json:"match_content"`
	// Subject is the same for its topic.
	Subject string `json:"match_subject"`
}

// ErrMatches says that the matching messages exceed the size limit of a response.
var ErrMatches = fault.Bad("The messages that match are too large for one answer (8 MiB): ask about fewer messages at a time.")

// Matches returns, by id, the given messages that the caller has received or flagged and that match a narrow.
// It fails with [ErrMatches] if they have more than the given number of bytes, with [ErrTooMany], [ErrTooSlow] or narrow.ErrTerm.
func (s *Service) Matches(ctx context.Context, who actor.Actor, messages []id.Message, n narrow.Narrow, bytes int) (map[string]Match, error) {
	if len(messages) > maxMessages {
		return nil, ErrTooMany
	}
	matches := map[string]Match{}
	err := s.db.Search(ctx, who.Org(), s.searchTime, func(tx *store.Tx) error {
		clear(matches) // the transaction may be tried again
		o, err := s.orgs.Load(ctx, tx)
		if err != nil {
			return err
		}
		resolved, err := resolve(ctx, tx, o, who, n)
		if err != nil || len(messages) == 0 {
			return err
		}
		resolved.History = false
		resolved.Terms = append([]store.NarrowTerm{{Condition: store.HasID{Messages: messages}}}, resolved.Terms...)
		found, cut, err := tx.Messages(ctx, resolved, store.MessageRange{First: 0, Last: id.Message(Newest), Limit: len(messages), Bytes: bytes})
		if err != nil {
			return err
		}
		if cut[0] {
			return ErrMatches
		}
		highlighted, err := highlight(ctx, tx, found, n.Words())
		for message, match := range highlighted {
			matches[strconv.FormatInt(int64(message), 10)] = match
		}
		return err
	})
	return matches, tooSlow(err, n)
}

// highlight highlights the words of a search in messages. Without words, it highlights nothing.
func highlight(ctx context.Context, tx *store.Tx, found []store.NarrowedMessage, words string) (map[id.Message]Match, error) {
	matches := make(map[id.Message]Match, len(found))
	for _, m := range found {
		matches[m.ID] = Match{Content: m.Rendered, Subject: escape(m.Topic)}
	}
	if words == "" {
		return matches, nil
	}
	there := map[string]bool{}
	for _, match := range matches {
		collectWords(match.Content, there)
		collectWords(match.Subject, there)
	}
	searched, parts := wordsOf(words)
	hits, err := tx.HitWords(ctx, slices.Collect(maps.Keys(there)), searched)
	hit := hitsOf(hits, parts)
	for message, match := range matches {
		matches[message] = Match{Content: mark(match.Content, hit), Subject: mark(match.Subject, hit)}
	}
	return matches, err
}
