// Package patterns caches the patterns that messages of organizations are searched for: alert words and linkifiers.
//
// Senders look them up in a [Cache]. The caller's actor has the version of the organization's patterns, and the cache
// contains the patterns of a version, so sending a message needs no query. The drawback is that changes take effect
// only when the cached actors of senders are renewed, which takes up to three seconds (package user).
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

// readTime is the time limit for reading an organization's patterns, while its senders wait.
const readTime = 10 * time.Second

// Read reads the patterns of the transaction's organization. size is the approximate memory that they take, in a unit
// that the caller chooses.
type Read[P any] func(ctx context.Context, tx *store.Tx) (patterns P, size int, err error)

// Cache caches the newest known patterns of organizations. It is safe for concurrent use.
type Cache[P any] struct {
	db      *store.DB
	read    Read[P]
	maxSize int                // of all patterns, in the unit of read
	reads   singleflight.Group // by organization and version

	mutex sync.RWMutex
	known map[id.Org]version[P]
	size  int // total of all organizations
}

type version[P any] struct {
	number   int64
	patterns P
	size     int
}

// New makes a cache. When the total size of its patterns would exceed maxSize, the cache drops all of them.
func New[P any](db *store.DB, maxSize int, read Read[P]) *Cache[P] {
	return &Cache[P]{db: db, read: read, maxSize: maxSize, known: map[id.Org]version[P]{}}
}

// Of returns the patterns of the caller's organization, in the version in who or a newer one. It returns the zero
// value if the organization has never had patterns. Concurrent calls share a read.
func (c *Cache[P]) Of(ctx context.Context, who actor.Actor) (P, error) {
	if p, ok := c.get(who); ok {
		return p, nil
	}
	read := c.reads.DoChan(fmt.Sprint(who.Org(), who.Sending.Patterns), func() (any, error) {
		p, ok := c.get(who)
		if ok {
			return p, nil
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readTime) // other callers may wait for it, too
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

// In is like [Cache.Of], but reads in the transaction and doesn't wait for other callers.
func (c *Cache[P]) In(ctx context.Context, tx *store.Tx, who actor.Actor) (P, error) {
	if p, ok := c.get(who); ok {
		return p, nil
	}
	return c.load(ctx, tx)
}

// load reads the patterns of an organization and caches them.
func (c *Cache[P]) load(ctx context.Context, tx *store.Tx) (P, error) {
	// The version is read first. So the patterns may be newer than the version in the cache, but never older.
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

// get returns the cached patterns if they are not older than the version in who.
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
	if c.size+v.size > c.maxSize {
		clear(c.known)
		c.size = 0
	}
	c.known[org] = v
	c.size += v.size
}
