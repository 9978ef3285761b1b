package admin

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/presence"
	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/stream"
	"chatserver.dev/pkg/subscription"
	"chatserver.dev/pkg/user"
)

// What ensuring and looking fails with, beside what the domain's services say.
var (
	// ErrNoObject says that nothing is kept under a key.
	ErrNoObject = fault.New(fault.NotFound, fault.CodeNotFound, "There is no %s with the key '%s'.")
	// ErrExists says that something that is to be made exists, and isn't kept by anybody.
	ErrExists = fault.New(fault.Invalid, "ALREADY_EXISTS", "The %s '%s' already exists; set adopt to take it over.")
	// ErrKept says that something is kept under another key.
	ErrKept = fault.New(fault.Invalid, "ALREADY_KEPT", "The %s '%s' is managed under another key.")
	// ErrFixed says that something can't be changed after it was made.
	ErrFixed = fault.Bad("The %s can't be changed.")
	// ErrKey says that a key can't be one.
	ErrKey = fault.Bad("A key must have 1 to 200 characters, without control characters.")
)

// The kinds of what is kept in an organization, as the database has them.
const (
	kindStream  = "stream"
	kindBot     = "bot"
	kindWebhook = "webhook"
)

// client is the program that messages and notices name.
const client = "Admin"

// Deps are what the service works with.
type Deps struct {
	DB            *store.DB
	Redis         *queue.Redis
	Orgs          *org.Service
	Users         *user.Service
	Streams       *stream.Service
	Subscriptions *subscription.Service
	Presence      *presence.Keeper
	Render        stream.Renderer
	Database      store.Config // to ask for the schema's version
	Integrations  []string     // names of those that there are
	Version       string       // of the program
	Now           func() time.Time
	// Settle is how long an organization has to be deactivated before its rows are removed, so that
	// nobody's request is still under way: longer than an authenticator remembers anything.
	Settle time.Duration
}

// Service keeps what machines want kept. It is safe for concurrent use.
type Service struct{ Deps }

// New makes the service.
func New(d Deps) *Service { return &Service{d} }

// find returns the organization with a key.
func (s *Service) find(ctx context.Context, key string) (id.Org, error) {
	found, err := s.DB.OrganizationByKey(ctx, key)
	if store.IsNotFound(err) {
		return 0, ErrNoObject.Format("organization", key)
	}
	return found, err
}

// system returns the organization and the actor for machines in it: its notification bot, with the rights
// of an owner. It fails with org.ErrDeleting.
func (s *Service) system(ctx context.Context, tx *store.Tx) (org.Org, actor.Actor, error) {
	row, err := tx.OwnOrganization(ctx)
	switch {
	case err != nil:
		return org.Org{}, actor.Actor{}, fmt.Errorf("read organization %d: %w", tx.Org(), err)
	case row.Deleting:
		return org.Org{}, actor.Actor{}, org.ErrDeleting
	}
	o, err := s.Orgs.Load(ctx, tx)
	if err != nil {
		return org.Org{}, actor.Actor{}, err
	}
	bot, err := user.NotificationBot(ctx, tx)
	if err != nil {
		return org.Org{}, actor.Actor{}, err
	}
	bot.Role = actor.Owner
	who := bot.Actor(o, nil)
	who.Client = client
	return o, who, nil
}

// object finds what is kept under a key; 0: nothing.
func object(ctx context.Context, tx *store.Tx, kind, key string) (object int64, details []byte, err error) {
	row, err := tx.ExternalObject(ctx, kind, key)
	if store.IsNotFound(err) {
		return 0, []byte("{}"), nil
	}
	return row.ObjectID, row.Details, err
}

// checkKey reports what is wrong with a key of a caller.
func checkKey(key string) error {
	if n := utf8.RuneCountInString(key); n < 1 || n > 200 || !utf8.ValidString(key) ||
		strings.ContainsFunc(key, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return ErrKey
	}
	return nil
}

// deref returns what p points to, or the zero value.
func deref[T any](p *T) T {
	if p == nil {
		return *new(T)
	}
	return *p
}
