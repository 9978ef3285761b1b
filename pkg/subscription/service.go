package subscription

import (
	"context"
	"time"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/stream"
)

// Notices sends messages of the notification bot, as part of a transaction.
type Notices interface {
	stream.Notices
	// ToUser sends a private message.
	ToUser(ctx context.Context, tx *store.Tx, to id.User, content string) error
}

// Service subscribes and unsubscribes. It is safe for concurrent use.
type Service struct {
	db      *store.DB
	orgs    *org.Service
	render  stream.Renderer
	notices Notices
	now     func() time.Time
}

// New makes the service.
func New(db *store.DB, orgs *org.Service, render stream.Renderer, notices Notices, now func() time.Time) *Service {
	return &Service{db: db, orgs: orgs, render: render, notices: notices, now: now}
}
