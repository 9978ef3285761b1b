package user

import (
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
)

// How much an [Authenticator] remembers: for how long, how many keys, and how long it waits for the
// database.
const (
	// trustFor is how long an entry is good after the database was asked, or said that nothing changed.
	trustFor = 3 * time.Second
	// keepFor bounds how long an entry is kept, however often that is said.
	keepFor = 10 * time.Minute
	// rememberMost bounds the entries, at about a kilobyte each.
	rememberMost = 65536
	queryTimeout = 10 * time.Second
	// watchPeriod is how often the database is asked what changed, and watchBack how far back: longer
	// than a transaction can take.
	watchPeriod = time.Second
	watchBack   = time.Minute
)

// Authenticator authenticates callers by their API keys. It implements endpoint.Authenticator, and is safe
// for concurrent use.
type Authenticator struct {
	db     *store.DB
	config org.Config
	now    func() time.Time
	logger *slog.Logger

	// changed is called with the accounts that were changed; nil: not set. See [Authenticator.OnChange].
	changed func(users map[id.User]bool)

	// watched is when the database said last that all else is as it was, in nanoseconds; 0: never.
	watched atomic.Int64

	mutex    sync.RWMutex
	known    map[[sha256.Size]byte]*known // of accounts
	rejected map[[sha256.Size]byte]*known // of nobody
	pending  map[[sha256.Size]byte]*known // in line, or being asked for
	line     []lookup
	asking   int // goroutines that ask
}

// known is what the database said of a key. Everything but the time is set when done is closed.
type known struct {
	asked time.Time
	done  chan struct{}

	// When what it depends on was changed last, for accounts that there are.
	userChanged, orgChanged, ownerChanged time.Time

	caller  actor.Actor
	owner   id.User   // of a bot, active or not
	ends    time.Time // when the key ends, which another has replaced; zero: none has
	refused error     // nil, or why the account can't log in
	err     error     // the database failed: nothing is known
}

// NewAuthenticator makes an authenticator for the accounts of db.
func NewAuthenticator(db *store.DB, config org.Config, now func() time.Time, logger *slog.Logger) *Authenticator {
	return &Authenticator{
		db: db, config: config, now: now, logger: logger,
		known: map[[sha256.Size]byte]*known{}, rejected: map[[sha256.Size]byte]*known{}, pending: map[[sha256.Size]byte]*known{},
	}
}

// Authenticate returns the account whose real address and API key these are (rest-api.md, section
// 1.4, rows 9 to 13). Letter case and white space around the address don't count.
func (a *Authenticator) Authenticate(ctx context.Context, host, email, key string) (actor.Actor, error) {
	k, err := a.find(ctx, key)
	if err != nil {
		return actor.Actor{}, err
	}
	if k.caller.Org() == 0 || a.ended(k) || !strings.EqualFold(strings.TrimSpace(email), k.caller.RealEmail) {
		return actor.Actor{}, fault.ErrInvalidKey
	}
	return a.admit(k, host)
}

// AuthenticateKey returns the account whose API key this is (rest-api.md, section 1.5).
func (a *Authenticator) AuthenticateKey(ctx context.Context, host, key string) (actor.Actor, error) {
	k, err := a.find(ctx, key)
	if err != nil {
		return actor.Actor{}, err
	}
	return a.admit(k, host)
}

func (a *Authenticator) admit(k *known, host string) (actor.Actor, error) {
	if a.ended(k) {
		return actor.Actor{}, fault.ErrInvalidKey
	}
	if k.refused != nil {
		return actor.Actor{}, k.refused
	}
	if !a.config.Is(host, k.caller.Subdomain) {
		return actor.Actor{}, fault.ErrWrongSubdomain
	}
	return k.caller, nil
}

// ended reports whether the key was replaced by another, and its time is over.
func (a *Authenticator) ended(k *known) bool { return !k.ends.IsZero() && !a.now().Before(k.ends) }

// find returns what is cached for a key, and queries the database if that is nothing or too old.
func (a *Authenticator) find(ctx context.Context, key string) (*known, error) {
	hash, now := HashKey(key), a.now()
	a.mutex.RLock()
	k := a.remembered(hash, now)
	a.mutex.RUnlock()
	if k == nil {
		var err error
		if k, err = a.claim(ctx, hash, now); err != nil {
			return nil, err
		}
	}
	select {
	case <-k.done:
		return k, k.err
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for another caller's authentication: %w", ctx.Err())
	}
}

// remembered returns what is known of a key, or about to be; nil: nothing fresh is.
func (a *Authenticator) remembered(hash [sha256.Size]byte, now time.Time) *known {
	if k := a.known[hash]; k != nil && a.good(k, now) {
		return k
	}
	if k := a.rejected[hash]; k != nil && a.good(k, now) {
		return k
	}
	return a.pending[hash]
}

// good reports whether an entry may still be used.
func (a *Authenticator) good(k *known, now time.Time) bool {
	age := now.Sub(k.asked)
	if age < trustFor {
		return true
	}
	return age < keepFor && now.UnixNano()-a.watched.Load() < int64(trustFor)
}

// OnChange has f called by [Authenticator.Watch], a second or so after accounts were changed: among them those
// that were deactivated, or whose keys were revoked or replaced, and again when the key before ends.
// Authentications that follow the call see the change. OnChange is called before Watch, once.
func (a *Authenticator) OnChange(f func(users map[id.User]bool)) { a.changed = f }

// report reports the accounts that were changed since before was read, and of those with a key that ended.
func (a *Authenticator) report(changed, before store.Changed, since, now time.Time) {
	if a.changed == nil {
		return
	}
	users := map[id.User]bool{}
	for user, at := range changed.Users {
		if !before.Users[user].Equal(at) {
			users[user] = true
		}
	}
	a.mutex.RLock()
	for _, k := range a.known {
		select {
		case <-k.done:
			if k.ends.After(since) && !k.ends.After(now) {
				users[k.caller.User] = true
			}
		default:
		}
	}
	a.mutex.RUnlock()
	if len(users) > 0 {
		a.changed(users)
	}
}

// Watch drops what changes from memory until ctx ends. While it works, what is remembered is good for
// long, and a change shows within about a second; otherwise all is asked for again every three.
func (a *Authenticator) Watch(ctx context.Context) error {
	ticker := time.NewTicker(watchPeriod)
	defer ticker.Stop()
	before, since := store.Changed{}, a.now()
	for {
		now := a.now()
		if changed, err := a.db.ChangedWithin(ctx, watchBack); err == nil {
			a.drop(changed, now)
			a.watched.Store(now.UnixNano())
			a.report(changed, before, since, now)
			before, since = changed, now
		} else if ctx.Err() == nil {
			a.logger.WarnContext(ctx, "failed to read changed accounts", slog.Any("error", err))
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

// drop drops the entries that were made of what has changed since, and those of unknown keys, which
// may have become known. It drops all where the database wasn't asked for so long that changes may
// have been missed.
func (a *Authenticator) drop(changed store.Changed, now time.Time) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	clear(a.rejected)
	clear(a.pending) // what is being asked for just now may be what was before the change
	if now.UnixNano()-a.watched.Load() > int64(watchBack)/2 {
		clear(a.known)
		return
	}
	for hash, k := range a.known {
		if k.outdated(changed) {
			delete(a.known, hash)
		}
	}
}

func (k *known) outdated(changed store.Changed) bool {
	user, userChanged := changed.Users[k.caller.User]
	owner, ownerChanged := changed.Users[k.owner]
	o, orgChanged := changed.Orgs[k.caller.Org()]
	return userChanged && !user.Equal(k.userChanged) || ownerChanged && !owner.Equal(k.ownerChanged) || orgChanged && !o.Equal(k.orgChanged)
}

// caller makes the actor of an account, and says why it can't act where it can't.
func (a *Authenticator) caller(row sqlc.AuthenticateRow) (caller actor.Actor, refused, err error) {
	settings, err := store.DecodeSettings(row.OrgSettings, a.config.Defaults())
	if err != nil {
		return actor.Actor{}, nil, fmt.Errorf("organization %d: %w", row.OrgID, err)
	}
	o := org.Org{ID: id.Org(row.OrgID), Subdomain: row.Subdomain, Settings: settings, AlertWords: row.AlertWordsVersion, URI: a.config.URI(row.Subdomain), Domain: a.config.Domain()}
	own, err := DecodeSettings(row.Settings)
	if err != nil {
		return actor.Actor{}, nil, fmt.Errorf("user %d: %w", row.UserID, err)
	}
	u := User{
		ID: id.User(row.UserID), RealEmail: row.Email, FullName: row.FullName, Role: actor.Role(row.Role), Bot: actor.BotType(row.BotType),
		AvatarSource: row.AvatarSource, AvatarVersion: int(row.AvatarVersion), Joined: row.JoinedAt, Settings: own,
	}
	owner := (*User)(nil)
	if row.OwnerRole != 0 { // there is one, and they are active
		owner = &User{ID: id.User(row.OwnerID), Role: actor.Role(row.OwnerRole), Joined: row.OwnerJoinedAt}
	}
	switch {
	case row.OrgDeactivated:
		refused = fault.ErrOrgDeactivated
	case !row.Active:
		refused = fault.ErrUserDeactivated
	}
	return u.Actor(o, owner), refused, nil
}
