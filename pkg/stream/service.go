package stream

import (
	"context"
	"time"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
)

// EventsTopic is the topic of the notification bot's messages about a stream in the stream itself.
const EventsTopic = "stream events"

// Notices sends messages of the notification bot, as part of a transaction.
type Notices interface {
	// ToStream sends a message to a stream of the organization. For those of readBy who are subscribed, it is marked as
	// read.
	ToStream(ctx context.Context, tx *store.Tx, to id.Stream, topic, content string, readBy ...id.User) error
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
