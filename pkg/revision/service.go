// Package revision implements changes of sent messages: new content, another topic or stream, deletion, and the edit
// history.
package revision

import (
	"context"
	"time"

	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/steps"
	"chatserver.dev/pkg/store"
)

// Service changes messages. It is safe for concurrent use.
type Service struct {
	db       *store.DB
	orgs     *org.Service
	messages *message.Service
	now      func() time.Time

	moves     steps.Kind[moving]
	deletions steps.Kind[deleting]
}

// New makes the service. messages renders new contents and sends notices.
func New(db *store.DB, orgs *org.Service, messages *message.Service, now func() time.Time) *Service {
	s := &Service{db: db, orgs: orgs, messages: messages, now: now}
	s.moves, s.deletions = steps.NewKind("move", minMoved, maxMoved, moveMore), steps.NewKind("delete_topic", minDeleted, maxDeleted, deleteMore)
	return s
}

// Kinds returns the kinds of changes that take several transactions.
func (s *Service) Kinds() []steps.Resumable {
	return []steps.Resumable{s.moves, s.deletions, forgettings()}
}

// deletedKeep is how long deleted messages are kept (rest-api.md, section 2.8).
const deletedKeep = 7 * 24 * time.Hour

// DestroyDeleted destroys the messages of all organizations that were deleted at least a week ago.
func (s *Service) DestroyDeleted(ctx context.Context) error {
	return s.db.DestroyDeleted(ctx, deletedKeep)
}
