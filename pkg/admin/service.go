package admin

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"chatserver.dev/pkg/account"
	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/adminapi"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/group"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/linkifier"
	"chatserver.dev/pkg/login"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/policy"
	"chatserver.dev/pkg/presence"
	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/stream"
	"chatserver.dev/pkg/subscription"
	"chatserver.dev/pkg/user"
)

// Errors of this package. Those of the domain's services are returned unchanged.
var (
	// ErrNoObject is returned if no object has a key.
	ErrNoObject = fault.New(fault.NotFound, fault.CodeNotFound, "There is no %s with the key '%s'.")
	// ErrExists is returned if an object to create exists, and isn't managed.
	ErrExists = fault.New(fault.Invalid, adminapi.CodeExists, "The %s '%s' already exists; set adopt to take it over.")
	// errKept is the fault of [kept].
	errKept = fault.New(fault.Invalid, adminapi.CodeKept, "The %s '%s' is managed under the key '%s'.")
	// ErrOther is returned if the address of a bot is that of an account of another kind.
	ErrOther = fault.Bad("The account with the address '%s' isn't a %s.")
	// ErrFixed is returned if a field can't be changed after the object was created.
	ErrFixed = fault.Bad("The %s can't be changed.")
	// ErrKey is returned if a key is invalid.
	ErrKey = fault.Bad("A key must have 1 to 200 characters, without control characters, and must not be '.' or '..'.")
)

// Kind is a kind of objects in an organization, with its name in the database and in errors.
type Kind string

// The kinds.
const (
	Owner   Kind = "owner" // the key is the address
	Stream  Kind = "stream"
	Bot     Kind = "bot"
	Webhook Kind = "webhook"
	User    Kind = "user" // a person
)

// client is the name of the sending program in messages.
const client = "Admin"

// Deps are the dependencies of the service.
type Deps struct {
	DB            *store.DB
	Redis         *queue.Redis
	Orgs          *org.Service
	Policy        *policy.Service
	Linkifiers    *linkifier.Service
	Users         *user.Service
	Accounts      *account.Service
	Logins        *login.Service
	UserGroups    *group.Service
	Streams       *stream.Service
	Subscriptions *subscription.Service
	Presence      *presence.Store
	Render        stream.Renderer
	Database      store.Config // to read the schema's version
	Integrations  []string     // names of all
	Version       string       // of the program
	Now           func() time.Time
	// Settle is how long an organization must be deactivated before its rows are removed, so that no request is in
	// progress: longer than an authenticator caches anything.
	Settle time.Duration
}

// Service manages objects for programs. It is safe for concurrent use.
type Service struct{ Deps }

// New returns a service.
func New(d Deps) *Service { return &Service{d} }

// find returns the organization with a key.
func (s *Service) find(ctx context.Context, key string) (id.Org, error) {
	found, err := s.DB.OrganizationByKey(ctx, key)
	if store.IsNotFound(err) {
		return 0, ErrNoObject.Format("organization", key)
	}
	return found, err
}

// system returns the organization and the actor for programs in it: its notification bot, with the rights of an owner. The
// error is [org.ErrDeleting] if it is being deleted, and [org.ErrImporting] if it is being imported.
func (s *Service) system(ctx context.Context, tx *store.Tx) (org.Org, actor.Actor, error) {
	row, err := tx.OwnOrganization(ctx)
	switch {
	case err != nil:
		return org.Org{}, actor.Actor{}, fmt.Errorf("read organization %d: %w", tx.Org(), err)
	case row.Deleting:
		return org.Org{}, actor.Actor{}, org.ErrDeleting
	}
	if err := org.CheckImported(ctx, tx); err != nil {
		return org.Org{}, actor.Actor{}, err
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

// read runs do in a read transaction of the organization with a key.
func (s *Service) read(ctx context.Context, orgKey string, do func(tx *store.Tx) error) error {
	found, err := s.find(ctx, orgKey)
	if err != nil {
		return err
	}
	return s.DB.Read(ctx, found, do)
}

// write runs do in a transaction that locks the keys in the organization, with the organization and the actor for programs. It
// returns that actor.
func (s *Service) write(ctx context.Context, found id.Org, do func(tx *store.Tx, o org.Org, who actor.Actor) error) (who actor.Actor, err error) {
	err = s.DB.Write(ctx, found, func(tx *store.Tx) error {
		if err := tx.LockExternalKeys(ctx); err != nil {
			return fmt.Errorf("lock the keys in organization %d: %w", found, err)
		}
		o, system, err := s.system(ctx, tx)
		if err != nil {
			return err
		}
		who = system
		return do(tx, o, system)
	})
	return who, err
}

// checkKey returns [ErrKey] if a key is invalid.
func checkKey(key string) error {
	if n := utf8.RuneCountInString(key); n < 1 || n > 200 || !utf8.ValidString(key) || key == "." || key == ".." ||
		strings.ContainsFunc(key, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return ErrKey
	}
	return nil
}

// or returns what p points to; otherwise for nil.
func or[T any](p *T, otherwise T) T {
	if p == nil {
		return otherwise
	}
	return *p
}

// deref returns what p points to, or the zero value.
func deref[T any](p *T) T { return or(p, *new(T)) }

// differing returns the desired value and appends its name, or nil if it is the actual one.
func differing[T comparable](names *[]string, name string, wanted *T, current T) *T {
	if wanted == nil || *wanted == current {
		return nil
	}
	*names = append(*names, name)
	return wanted
}
