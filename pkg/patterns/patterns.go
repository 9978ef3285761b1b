// Package patterns caches what the messages of organizations are searched for: alert words, linkifiers.
//
// Whoever sends asks a [Cache]. Authentication says which version of its patterns an organization has, and the cache has what was
// read of a version, so a send needs no query. The price is that a change takes effect only when senders have been looked up again,
// within three seconds (package user).
package patterns

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
)

// readTime bounds reading an organization's patterns: its senders wait for them.
const readTime = 10 * time.Second

// Read reads the patterns of the transaction's organization. size is about how much memory they take, in a unit of the caller's.
type Read[P any] func(ctx context.Context, tx *store.Tx) (patterns P, size int, err error)

// Cache caches the newest patterns of organizations. It is safe for concurrent use.
type Cache[P any] struct {
	db    *store.DB
	read  Read[P]
	most  int                // of size
	reads singleflight.Group // by organization and version

	mutex sync.RWMutex
	known map[id.Org]version[P]
	size  int // of all of them
}

type version[P any] struct {
	number   int64
	patterns P
	size     int
}

// New makes a cache. When the patterns of all organizations together would be larger than most, it forgets all of them.
func New[P any](db *store.DB, most int, read Read[P]) *Cache[P] {
	return &Cache[P]{db: db, read: read, most: most, known: map[id.Org]version[P]{}}
}

// Of returns the patterns of the caller's organization, in the version that the caller knows of or a newer one; the zero value if
// there never were any. It reads a version once, however many ask at once.
func (c *Cache[P]) Of(ctx context.Context, who actor.Actor) (P, error) {
	if p, ok := c.get(who); ok {
		return p, nil
	}
	read := c.reads.DoChan(fmt.Sprint(who.Org(), who.Sending.Patterns), func() (any, error) {
		p, ok := c.get(who)
		if ok {
			return p, nil
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readTime) // others wait for it, too
		defer cancel()
		err := c.db.Read(ctx, who.Org(), func(tx *store.Tx) (err error) {
			p, err = c.load(ctx, tx)
			return err
		})
		return p, err
	})
	select {
	case result := <-read:
		p, _ := result.Val.(P)
		return p, result.Err
	case <-ctx.Done():
		return *new(P), fmt.Errorf("wait for patterns: %w", ctx.Err())
	}
}

// In is [Cache.Of] within a transaction: it reads in that transaction, and doesn't wait for other callers.
func (c *Cache[P]) In(ctx context.Context, tx *store.Tx, who actor.Actor) (P, error) {
	if p, ok := c.get(who); ok {
		return p, nil
	}
	return c.load(ctx, tx)
}

// load reads the patterns of an organization and remembers them.
func (c *Cache[P]) load(ctx context.Context, tx *store.Tx) (P, error) {
	// The version is read first, so that the patterns are at least as new and never taken for newer than they are.
	number, err := tx.PatternsVersion(ctx)
	if err != nil {
		return *new(P), err
	}
	p, size, err := c.read(ctx, tx)
	if err == nil {
		c.put(tx.Org(), version[P]{number, p, size})
	}
	return p, err
}

// get returns the cached patterns, if they are new enough for who.
func (c *Cache[P]) get(who actor.Actor) (P, bool) {
	if who.Sending.Patterns == 0 {
		return *new(P), true
	}
	c.mutex.RLock()
	defer c.mutex.RUnlock()
	v, ok := c.known[who.Org()]
	return v.patterns, ok && v.number >= who.Sending.Patterns
}

func (c *Cache[P]) put(org id.Org, v version[P]) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if old, ok := c.known[org]; ok {
		if old.number > v.number {
			return
		}
		c.size -= old.size
	}
	if c.size+v.size > c.most {
		clear(c.known)
		c.size = 0
	}
	c.known[org] = v
	c.size += v.size
}
