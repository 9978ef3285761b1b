// Package state reads the initial state that a client gets when it registers (events.md, sections
// 1.5 and 1.6), out of one snapshot of the database.
package state

import (
	"context"
	"slices"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
)

// Request is what of the state a client wants, and in which form.
type Request struct {
	// Selectors choose the parts, by the names of event types; nil: all.
	Selectors          []string
	ClientHostedAvatar bool
	SlimPresence       bool
	IncludeSubscribers bool
	// What the client can cope with (events.md, section 1.3).
	NotificationSettingsNull bool
	AvatarURLOptional        bool
}

// Wants reports whether the part is asked for.
func (r Request) Wants(selector string) bool {
	return r.Selectors == nil || slices.Contains(r.Selectors, selector)
}

// State is the initial state. Each part is nil where it wasn't asked for.
type State struct{}

// Reader reads initial states. It is safe for concurrent use.
type Reader struct {
	orgs *org.Service
}

// New makes a reader.
func New(orgs *org.Service) *Reader { return &Reader{orgs} }

// Read reads the state for a caller. tx must be a snapshot.
func (r *Reader) Read(ctx context.Context, tx *store.Tx, who actor.Actor, request Request) (State, error) {
	return State{}, nil
}
