package missed

import (
	"context"
	"log/slog"
	"time"

	"chatserver.dev/pkg/keyring"
	"chatserver.dev/pkg/mail"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/presence"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/subscription"
	"chatserver.dev/pkg/user"
)

const (
	// look is how often new messages and accounts that are due are looked for.
	look = 2 * time.Second
	// digestPeriod is how often organizations whose day for digests has come are.
	digestPeriod = 10 * time.Minute
	// lease is how long a process may take for a part of the log before another one looks at it.
	lease = time.Minute
	// Wait is the time from the first message that somebody misses to the mail, which has what came meanwhile.
	Wait = 2 * time.Minute
	// mostWaiting is how many messages wait for an account: the newest of those that are private or mention it, then the newest that it
	// merely hears of.
	mostWaiting = 100
	// page is how many accounts one query finds, people of how many presence is read at once, and passes how many are notified at a time.
	page   = 1000
	people = 100
	passes = 100
	// fewPeople is how many one transaction notes messages for at first, or where it is slow; people is the most.
	fewPeople = 10
)

// Deps are what a [Service] works with.
type Deps struct {
	DB            *store.DB
	Orgs          *org.Service
	Users         *user.Service
	Subscriptions *subscription.Service
	Presence      *presence.Keeper
	Keys          *keyring.Ring
	// Mail says whether people are mailed what they miss, and Push whether their browsers are notified.
	Mail, Push bool
	// PushContent says whether notifications have what messages say.
	PushContent bool
	Now         func() time.Time
	Logger      *slog.Logger
}

// Service finds what people miss. It is safe for concurrent use, and any number of processes may do so at once.
type Service struct{ Deps }

// New makes the service.
func New(d Deps) *Service { return &Service{d} }

// Mails returns the kinds of mail that the service sends.
func (s *Service) Mails() []mail.Composer { return []mail.Composer{s.kind(), s.digestKind()} }

// Run looks for what people miss until ctx ends.
func (s *Service) Run(ctx context.Context) error {
	often, seldom := time.NewTicker(look), time.NewTicker(digestPeriod)
	defer often.Stop()
	defer seldom.Stop()
	for {
		steps := []func(context.Context) error{s.Find}
		if s.Mail {
			steps = append(steps, s.Notify)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-often.C:
		case <-seldom.C:
			if s.Mail {
				steps = append(steps, s.Digest)
			}
		}
		for _, step := range steps {
			if err := step(ctx); err != nil && ctx.Err() == nil {
				s.Logger.ErrorContext(ctx, "failed to process missed messages", slog.Any("error", err))
			}
		}
	}
}
