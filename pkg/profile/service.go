package profile

import (
	"context"
	"slices"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/markdown"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/user"
)

// Limits.
const (
	// maxFields is the maximum number of fields of an organization.
	maxFields = 20
	// maxAnswers is the maximum number of answers in a request.
	maxAnswers = 100

	maxName = 40 // characters
	maxHint = 80 // characters
	maxData = 16 << 10

	maxShort    = 50  // characters
	maxLong     = 500 // characters
	maxURL      = 2048
	maxPeople   = 100
	maxRendered = 4 << 10 // bytes of HTML

	// Limits on all answers of an organization, in bytes.
	roomForAll     = 4 << 20
	roomPerAccount = 2 << 10
)

// Numbers of answers that one transaction removes with their field.
const (
	minRemoved = 100
	maxRemoved = 1000
)

// Renderer renders answers.
type Renderer interface {
	RenderDescription(ctx context.Context, source string, in markdown.Context) (html string, err error)
}

// Service manages fields and answers. It is safe for concurrent use.
type Service struct {
	db     *store.DB
	orgs   *org.Service
	render Renderer
	now    func() time.Time
}

// New makes the service.
func New(db *store.DB, orgs *org.Service, render Renderer, now func() time.Time) *Service {
	return &Service{db: db, orgs: orgs, render: render, now: now}
}

// Fields returns the fields of the caller's organization in order.
func (s *Service) Fields(ctx context.Context, who actor.Actor) ([]event.ProfileField, error) {
	return store.Read(ctx, s.db, who.Org(), func(tx *store.Tx) ([]event.ProfileField, error) { return user.Fields(ctx, tx) })
}

// write runs a change of fields. work receives the existing fields.
func (s *Service) write(ctx context.Context, who actor.Actor, work func(tx *store.Tx, fields []event.ProfileField) error) error {
	return s.db.Write(ctx, who.Org(), func(tx *store.Tx) error {
		if err := tx.LockProfileFields(ctx); err != nil {
			return err
		}
		fields, err := user.Fields(ctx, tx)
		if err != nil {
			return err
		}
		return work(tx, fields)
	})
}

// emit emits the event of a change of fields.
func emit(ctx context.Context, tx *store.Tx, op string) error {
	fields, err := user.Fields(ctx, tx)
	if err != nil {
		return err
	}
	return tx.Emit(ctx, event.ProfileFieldsChanged{Op: op, Fields: fields})
}

// find returns a field.
func find(fields []event.ProfileField, number int64) (event.ProfileField, bool) {
	at := slices.IndexFunc(fields, func(f event.ProfileField) bool { return f.ID == number })
	if at < 0 {
		return event.ProfileField{}, false
	}
	return fields[at], true
}
