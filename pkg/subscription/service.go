package subscription

import (
	"context"
	"time"

	"chatserver.dev/pkg/catalogue"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/stream"
)

// Notices sends messages of the notification bot, as part of a transaction.
type Notices interface {
	stream.Notices
	// ToUsers renders private messages, one for each user, in the users' languages. send sends them in the same transaction.
	ToUsers(ctx context.Context, tx *store.Tx, to []id.User, says []catalogue.Notice) (send func(ctx context.Context) error, err error)
	// ToNew renders a message to streams that the transaction is about to create, in the organization's language. send sends it.
	ToNew(
		ctx context.Context, tx *store.Tx, says catalogue.StreamNotice, readBy ...id.User,
	) (send func(ctx context.Context, to []sqlc.Stream) error, err error)
}

// Service subscribes and unsubscribes. It is safe for concurrent use.
type Service struct {
	db      *store.DB
	orgs    *org.Service
	render  stream.Renderer
	notices Notices
	now     func() time.Time
	cache   *subscriberCache
	recent  *trafficCache
}

// New makes the service.
func New(db *store.DB, orgs *org.Service, render stream.Renderer, notices Notices, now func() time.Time) *Service {
	return &Service{db: db, orgs: orgs, render: render, notices: notices, now: now, cache: newSubscriberCache(maxKept), recent: newTrafficCache()}
}
