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
	"chatserver.dev/pkg/outage"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
)

// Limits of an [Authenticator]'s cache.
const (
	// freshTTL is how long an entry is valid after the database was queried, or reported no change. For as long, events of
	// messages may have a sender's address that was hidden meanwhile (docs/decisions/0008-limits-and-caches.md).
	freshTTL = 3 * time.Second
	// maxTTL is the maximum age of an entry.
	maxTTL = 10 * time.Minute
	// maxEntries is the maximum number of entries, of about a kilobyte each.
	maxEntries   = 65536
	queryTimeout = 10 * time.Second
	// watchPeriod is how often changes are read from the database, and lookback how far back: longer
	// than a transaction can take.
	watchPeriod = time.Second
	lookback    = time.Minute
)

// Authenticator authenticates callers by their API keys. It implements endpoint.Authenticator, and is safe
// for concurrent use.
type Authenticator struct {
	db     *store.DB
	config org.Config
	now    func() time.Time
	logger *slog.Logger

	// changed is called with what was changed; nil: not set. See [Authenticator.OnChange].
	changed func(users map[id.User]bool, orgs map[id.Org]bool)

	// watched is when changes were last read, in Unix nanoseconds; 0: never.
	watched atomic.Int64

	mutex    sync.RWMutex
	accepted map[[sha256.Size]byte]*cacheEntry // of accounts
	rejected map[[sha256.Size]byte]*cacheEntry // of invalid keys
	pending  map[[sha256.Size]byte]*cacheEntry // queued, or being looked up
	recent   store.Changed                     // what calls have changed since Watch last removed entries
	queue    []lookup
	asking   int // running lookups
}

// cacheEntry is the database's result for a key. Everything but the time is set when done is closed.
type cacheEntry struct {
	asked time.Time
	done  chan struct{}

	// When the entry's dependencies were last changed, if the account exists.
	userChanged, orgChanged, ownerChanged time.Time

	caller  actor.Actor
	owner   id.User   // of a bot, active or not
	ends    time.Time // when a replaced key expires; zero: it hasn't been replaced
	refused error     // nil, or why the account can't log in
	err     error     // the database failed
}

// NewAuthenticator returns an authenticator for the accounts of db.
func NewAuthenticator(db *store.DB, config org.Config, now func() time.Time, logger *slog.Logger) *Authenticator {
	return &Authenticator{
		db: db, config: config, now: now, logger: logger,
		accepted: map[[sha256.Size]byte]*cacheEntry{}, rejected: map[[sha256.Size]byte]*cacheEntry{}, pending: map[[sha256.Size]byte]*cacheEntry{},
		recent: store.Changed{Users: map[id.User]time.Time{}, Orgs: map[id.Org]time.Time{}},
	}
}

// Authenticate returns the account with this real address and API key (rest-api.md, section
// 1.4, rows 9 to 13). It ignores the case of the address and white space around it.
func (a *Authenticator) Authenticate(ctx context.Context, host, email, key string) (actor.Actor, error) {
	now, email := a.now(), strings.TrimSpace(email)
	k, err := a.find(ctx, key)
	if err == nil && k.caller.Org() != 0 && !strings.EqualFold(email, k.caller.RealEmail) && k.asked.Before(now) {
		a.Forget(k.caller) // the address may just have changed
		k, err = a.find(ctx, key)
	}
	if err != nil {
		return actor.Actor{}, err
	}
	if k.caller.Org() == 0 || !strings.EqualFold(email, k.caller.RealEmail) {
		return actor.Actor{}, fault.ErrInvalidKey
	}
	return a.admit(k, host)
}

// AuthenticateKey returns the account with this API key (rest-api.md, section 1.5).
func (a *Authenticator) AuthenticateKey(ctx context.Context, host, key string) (actor.Actor, error) {
	k, err := a.find(ctx, key)
	if err != nil {
		return actor.Actor{}, err
	}
	return a.admit(k, host)
}

// Forget removes a caller's entry from the cache. The next authentication with its key queries the database.
func (a *Authenticator) Forget(caller actor.Actor) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	delete(a.accepted, caller.Key)
}

// Refresh makes entries invalid that have changed since then. [Authenticator.Watch] removes them: to look for them takes milliseconds if
// there are many, in which nobody else is authenticated.
func (a *Authenticator) Refresh(ctx context.Context, since time.Time) {
	// The database says how long ago a change was by its own clock, and notes it a little before it is committed.
	changed, err := a.db.ChangedWithin(ctx, a.now().Sub(since)+watchPeriod)
	if err == nil {
		a.note(changed)
	} else if ctx.Err() == nil {
		a.logger.WarnContext(ctx, "failed to read what a call has changed", slog.Any("error", err))
	}
}

// Secure reports whether browsers reach the server by TLS.
func (a *Authenticator) Secure() bool { return a.config.Secure() }

// Follow returns a function that reports whether the key is still cached for the same, unchanged caller. It returns nil if
// that isn't so now.
func (a *Authenticator) Follow(caller actor.Actor, key string) (same func() bool) {
	hash := HashKey(key)
	a.mutex.RLock()
	k := a.accepted[hash]
	a.mutex.RUnlock()
	if k == nil || k.refused != nil || k.caller != caller {
		return nil
	}
	return func() bool {
		now := a.now()
		a.mutex.RLock()
		defer a.mutex.RUnlock()
		return a.accepted[hash] == k && a.good(k, now) && !a.ended(k)
	}
}

func (a *Authenticator) admit(k *cacheEntry, host string) (actor.Actor, error) {
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

// ended reports whether the key was replaced and has expired.
func (a *Authenticator) ended(k *cacheEntry) bool { return !k.ends.IsZero() && !a.now().Before(k.ends) }

// find returns the entry of a key. It queries the database if no valid entry is cached.
func (a *Authenticator) find(ctx context.Context, key string) (*cacheEntry, error) {
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

// remembered returns the valid or pending entry of a key; nil: none.
func (a *Authenticator) remembered(hash [sha256.Size]byte, now time.Time) *cacheEntry {
	if k := a.accepted[hash]; k != nil && a.good(k, now) {
		return k
	}
	if k := a.rejected[hash]; k != nil && a.good(k, now) {
		return k
	}
	return a.pending[hash]
}

// good reports whether an entry is still valid.
func (a *Authenticator) good(k *cacheEntry, now time.Time) bool {
	if k.outdated(a.recent) {
		return false
	}
	age := now.Sub(k.asked)
	if age < freshTTL {
		return true
	}
	return age < maxTTL && now.UnixNano()-a.watched.Load() < int64(freshTTL)
}

// OnChange sets the function that [Authenticator.Watch] calls, about a second after the change, with accounts that have
// changed and organizations that were deactivated. An account changes, for example, if it is deactivated or its key is
// revoked or replaced, and again when the replaced key expires. Authentications after the call see the change. OnChange
// must be called before Watch, at most once.
func (a *Authenticator) OnChange(f func(users map[id.User]bool, orgs map[id.Org]bool)) { a.changed = f }

// report calls changed with the accounts that have changed since before was read or whose replaced keys have expired, and
// the organizations that were deactivated.
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
	orgs := map[id.Org]bool{}
	for o := range changed.Deactivated {
		if !before.Orgs[o].Equal(changed.Orgs[o]) {
			orgs[o] = true
		}
	}
	a.mutex.RLock()
	for _, k := range a.accepted {
		select {
		case <-k.done:
			if k.ends.After(since) && !k.ends.After(now) {
				users[k.caller.User] = true
			}
		default:
		}
	}
	a.mutex.RUnlock()
	if len(users)+len(orgs) > 0 {
		a.changed(users, orgs)
	}
}

// Watch removes changed accounts from the cache until ctx ends. While it succeeds, entries stay valid for minutes, and
// changes take effect within about a second. Otherwise, entries are valid for three seconds.
func (a *Authenticator) Watch(ctx context.Context) error {
	ticker := time.NewTicker(watchPeriod)
	defer ticker.Stop()
	before, since := store.Changed{}, a.now()
	log := outage.NewLog(a.logger, slog.LevelWarn, "failed to read changed accounts", a.now)
	for {
		now := a.now()
		changed, err := a.db.ChangedWithin(ctx, lookback)
		log.Note(ctx, err)
		if err == nil {
			a.drop(changed, now)
			a.watched.Store(now.UnixNano())
			a.report(changed, before, since, now)
			before, since = changed, now
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

// drop removes the entries whose accounts have changed since, or by a call, and those of unknown keys, which may
// exist now. If changes weren't read for so long that some may have been missed, it removes all.
func (a *Authenticator) drop(changed store.Changed, now time.Time) {
	a.note(changed)
	a.mutex.Lock()
	defer a.mutex.Unlock()
	defer clear(a.recent.Orgs)
	defer clear(a.recent.Users)
	if now.UnixNano()-a.watched.Load() > int64(lookback)/2 {
		clear(a.accepted)
		return
	}
	for hash, k := range a.accepted {
		if k.outdated(a.recent) {
			delete(a.accepted, hash)
		}
	}
}

// note makes the entries invalid whose accounts have changed since, and removes those of unknown keys, which may exist now.
func (a *Authenticator) note(changed store.Changed) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	clear(a.rejected)
	clear(a.pending) // lookups in progress may have read the state before the change
	keepLater(a.recent.Users, changed.Users)
	keepLater(a.recent.Orgs, changed.Orgs)
}

// keepLater adds times to others. If both have one for a key, it keeps the later one: who has read it may be late.
func keepLater[K comparable](times, others map[K]time.Time) {
	for key, at := range others {
		if at.After(times[key]) {
			times[key] = at
		}
	}
}

func (k *cacheEntry) outdated(changed store.Changed) bool {
	user, userChanged := changed.Users[k.caller.User]
	owner, ownerChanged := changed.Users[k.owner]
	o, orgChanged := changed.Orgs[k.caller.Org()]
	return userChanged && !user.Equal(k.userChanged) || ownerChanged && !owner.Equal(k.ownerChanged) || orgChanged && !o.Equal(k.orgChanged)
}

// caller returns the actor of an account. refused is the fault if the account can't act.
func (a *Authenticator) caller(row sqlc.AuthenticateRow) (caller actor.Actor, refused, err error) {
	settings, err := store.DecodeSettings(row.OrgSettings, a.config.Defaults())
	if err != nil {
		return actor.Actor{}, nil, fmt.Errorf("organization %d: %w", row.OrgID, err)
	}
	o := org.Org{ID: id.Org(row.OrgID), Subdomain: row.Subdomain, Settings: settings, Patterns: row.AlertWordsVersion, URI: a.config.URI(row.Subdomain), Domain: a.config.Domain()}
	own, err := DecodeSettings(row.Settings)
	if err != nil {
		return actor.Actor{}, nil, fmt.Errorf("user %d: %w", row.UserID, err)
	}
	u := User{
		ID: id.User(row.UserID), RealEmail: row.Email, FullName: row.FullName, Role: actor.Role(row.Role), Bot: actor.BotType(row.BotType),
		AvatarSource: row.AvatarSource, AvatarVersion: int(row.AvatarVersion), AvatarPath: row.AvatarPath, Joined: row.JoinedAt, Settings: own,
	}
	owner := (*User)(nil)
	if row.OwnerRole != 0 { // it has an active owner
		owner = &User{ID: id.User(row.OwnerID), Role: actor.Role(row.OwnerRole), Joined: row.OwnerJoinedAt}
	}
	switch {
	case row.OrgDeactivated:
		refused = fault.ErrOrgDeactivated
	case !row.Active:
		refused = fault.ErrUserDeactivated
	}
	caller = u.Actor(o, owner)
	caller.Login = id.Login(row.LoginID)
	return caller, refused, nil
}
