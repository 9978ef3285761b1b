package missed

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"chatserver.dev/pkg/keyring"
	"chatserver.dev/pkg/mail"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/outage"
	"chatserver.dev/pkg/presence"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/subscription"
	"chatserver.dev/pkg/user"
)

const (
	// pollPeriod is the period of the search for new messages and due accounts.
	pollPeriod = 2 * time.Second
	// digestPeriod is the period of the search for due digests.
	digestPeriod = 10 * time.Minute
	// lease is the time after which another process may take over a part of the event log.
	lease = time.Minute
	// repeatPause is the time before what failed is tried once more: the database may be overloaded.
	repeatPause = 5 * time.Second
	// delay is the time from the first missed message of an account to the mail, which also has the messages sent meanwhile.
	delay = 2 * time.Minute
	// maxWaiting is the maximum number of messages recorded for an account: first the newest that are private or mention it, then the
	// newest in streams with notifications.
	maxWaiting = 100
	// page is the maximum number of accounts that one query finds, people that of accounts whose presence is read together, and passes
	// that of due accounts in one query.
	page   = 1000
	people = 100
	passes = 100
	// fewPeople is the number of accounts for which one transaction records messages at first, or if it is slow.
	// people is the maximum.
	fewPeople = 10
)

// Deps are the dependencies of a [Service].
type Deps struct {
	DB            *store.DB
	Orgs          *org.Service
	Users         *user.Service
	Subscriptions *subscription.Service
	Presence      *presence.Store
	Keys          *keyring.Ring
	// Mail says whether people get mail about missed messages, and Push whether they get push notifications in their browsers.
	Mail, Push bool
	// PushContent says whether push notifications have the content of messages.
	PushContent bool
	Now         func() time.Time
	Logger      *slog.Logger
}

// Service finds missed messages. It is safe for concurrent use, also by several processes.
type Service struct{ Deps }

// New makes the service.
func New(d Deps) *Service { return &Service{d} }

// Mails returns the kinds of mail that the service sends.
func (s *Service) Mails() []mail.Composer { return []mail.Composer{s.kind(), s.digestKind()} }

// Run finds missed messages, and queues mail about them and digests, until ctx ends. None of these waits for another: push notifications
// of new messages come soon, however many mails are due.
func (s *Service) Run(ctx context.Context) error {
	running := sync.WaitGroup{}
	running.Go(func() { s.repeat(ctx, pollPeriod, s.Find) })
	if s.Mail {
		running.Go(func() { s.repeat(ctx, pollPeriod, s.Notify) })
		running.Go(func() { s.repeat(ctx, digestPeriod, s.Digest) })
	}
	running.Wait()
	return nil
}

// repeat calls step periodically until ctx ends, and logs its errors.
func (s *Service) repeat(ctx context.Context, period time.Duration, step func(context.Context) error) {
	ticker := time.NewTicker(period)
	defer ticker.Stop()
	log := outage.NewLog(s.Logger, slog.LevelError, "failed to process missed messages", s.Now)
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		log.Note(ctx, step(ctx))
	}
}
