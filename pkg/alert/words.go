package alert

import (
	"context"
	"fmt"
	"sync"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
)

// mostSize bounds the words that are remembered, over all organizations, in what [Matcher.size] counts;
// when there are more, all are forgotten.
const mostSize = 1_000_000

// readTime bounds reading an organization's words: its senders wait for it.
const readTime = 10 * time.Second

// Words returns the words of the organization's users, at least in the version that who knows of; nil if
// there never were any. It reads them once per version, however many ask at once.
func (s *Service) Words(ctx context.Context, who actor.Actor) (*Matcher, error) {
	if who.Sending.AlertWords == 0 {
		return nil, nil //nolint:nilnil // the nil Matcher has no words
	}
	if m, ok := s.matchers.get(who); ok {
		return m, nil
	}
	read := s.reads.DoChan(fmt.Sprint(who.Org(), who.Sending.AlertWords), func() (any, error) {
		if m, ok := s.matchers.get(who); ok {
			return m, nil
		}
		m := (*Matcher)(nil)
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readTime) // others wait for it, too
		defer cancel()
		err := s.db.Read(ctx, who.Org(), func(tx *store.Tx) (err error) {
			m, err = s.read(ctx, tx)
			return err
		})
		return m, err
	})
	select {
	case result := <-read:
		m, _ := result.Val.(*Matcher)
		return m, result.Err
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for alert words: %w", ctx.Err())
	}
}

// WordsIn is [Service.Words] within a transaction, which it doesn't leave, and where it waits for nobody.
func (s *Service) WordsIn(ctx context.Context, tx *store.Tx, who actor.Actor) (*Matcher, error) {
	if who.Sending.AlertWords == 0 {
		return nil, nil //nolint:nilnil // the nil Matcher has no words
	}
	if m, ok := s.matchers.get(who); ok {
		return m, nil
	}
	return s.read(ctx, tx)
}

// read reads the words of an organization and remembers them.
func (s *Service) read(ctx context.Context, tx *store.Tx) (*Matcher, error) {
	// First the version: so the words are at least as new, and never taken for newer than they are.
	version, err := tx.AlertWordsVersion(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := tx.AllAlertWords(ctx)
	if err != nil {
		return nil, err
	}
	words := map[id.User][]string{}
	for _, row := range rows {
		words[row.UserID] = append(words[row.UserID], row.Word)
	}
	m := NewMatcher(words)
	s.matchers.put(tx.Org(), version, m)
	return m, nil
}

// matchers remembers the newest words of organizations.
type matchers struct {
	mutex sync.RWMutex
	known map[id.Org]version
	size  int // of all of them
}

type version struct {
	number  int64
	matcher *Matcher
}

func newMatchers() matchers { return matchers{known: map[id.Org]version{}} }

// get returns the cached words, if they are new enough for who.
func (c *matchers) get(who actor.Actor) (*Matcher, bool) {
	c.mutex.RLock()
	defer c.mutex.RUnlock()
	v, ok := c.known[who.Org()]
	return v.matcher, ok && v.number >= who.Sending.AlertWords
}

func (c *matchers) put(org id.Org, number int64, m *Matcher) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if old, ok := c.known[org]; ok {
		if old.number > number {
			return
		}
		c.size -= old.matcher.size()
	}
	if c.size+m.size() > mostSize {
		clear(c.known)
		c.size = 0
	}
	c.known[org] = version{number, m}
	c.size += m.size()
}
