package stream

import (
	"context"
	"time"

	"chatserver.dev/pkg/catalogue"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
)

// Notices sends messages of the notification bot, as part of a transaction.
type Notices interface {
	// ToStream sends a message to a stream of the organization, in its language. For those of readBy who are subscribed, it is
	// marked as read; the transaction has locked these accounts before its first write.
	ToStream(ctx context.Context, tx *store.Tx, to id.Stream, says catalogue.StreamNotice, readBy ...id.User) error
}

// Service lists and changes streams. It is safe for concurrent use.
type Service struct {
	db      *store.DB
	orgs    *org.Service
	render  Renderer
	notices Notices
	now     func() time.Time
}

// New makes the service.
func New(db *store.DB, orgs *org.Service, render Renderer, notices Notices, now func() time.Time) *Service {
	return &Service{db: db, orgs: orgs, render: render, notices: notices, now: now}
}
