package mail

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"time"

	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
)

// ErrNoLink says that a link has been used, has expired, or never existed.
var ErrNoLink = fault.Bad("This link isn't valid: it may have been used already, or have expired.")

// Link is a kind of links in mail. A link can be used once, before it expires. S is the state of such a link, stored as JSON.
type Link[S any] struct {
	kind string
	life time.Duration
}

// NewLink declares a kind of links with its own name.
func NewLink[S any](kind string, life time.Duration) Link[S] { return Link[S]{kind, life} }

// Make makes a link and returns its token. Only the hash of the token is stored.
func (l Link[S]) Make(ctx context.Context, tx *store.Tx, state S, now time.Time) (token string, err error) {
	token = newToken()
	return token, l.Restore(ctx, tx, token, state, now.Add(l.life), now)
}

// Restore makes a link valid again that was used in vain, until a time.
func (l Link[S]) Restore(ctx context.Context, tx *store.Tx, token string, state S, until, now time.Time) error {
	encoded, err := json.Marshal(state)
	if err != nil {
		return fmt.Errorf("encode a link of kind %s: %w", l.kind, err)
	}
	return tx.AddMailLink(ctx, sqlc.AddMailLinkParams{TokenHash: hashed(token), Kind: l.kind, State: encoded, EndsAt: until, Now: now})
}

// Read returns the state of a link. It fails with [ErrNoLink].
func (l Link[S]) Read(ctx context.Context, tx *store.Tx, token string, now time.Time) (S, error) {
	return l.decoded(tx.MailLink(ctx, hashed(token), l.kind, now))
}

// Use is like [Link.Read], and ends the link if the transaction is committed.
func (l Link[S]) Use(ctx context.Context, tx *store.Tx, token string, now time.Time) (S, error) {
	return l.decoded(tx.UseMailLink(ctx, hashed(token), l.kind, now))
}

func (l Link[S]) decoded(encoded json.RawMessage, err error) (state S, _ error) {
	switch {
	case store.IsNotFound(err):
		return state, ErrNoLink
	case err != nil:
		return state, err
	}
	if err := json.Unmarshal(encoded, &state); err != nil {
		return state, fmt.Errorf("decode a link of kind %s: %w", l.kind, err)
	}
	return state, nil
}

// newToken returns 130 random bits, as letters and digits.
func newToken() string { return rand.Text() }

func hashed(token string) []byte {
	hash := sha256.Sum256([]byte(token))
	return hash[:]
}
