package boot

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"chatserver.dev/pkg/failpoint"
	"chatserver.dev/pkg/imagelink"
	"chatserver.dev/pkg/keyring"
	"chatserver.dev/pkg/limit"
	"chatserver.dev/pkg/login"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/password"
	"chatserver.dev/pkg/presence"
	"chatserver.dev/pkg/product"
	"chatserver.dev/pkg/provider"
	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/user"
)

// maxHashes is the maximum number of hashes that are computed concurrently. Each takes 19 MiB, or memoryOfHashes in its own
// process.
const maxHashes = 4

// memoryOfHashes is the memory of a process that computes hashes, in bytes.
const memoryOfHashes = 35 << 20

// maxHashesWaiting is the maximum number of logins that wait for the computation of hashes. One takes about 20 ms.
const maxHashesWaiting = 100

// process is a process that is connected: what its parts depend on, and what only this package uses.
type process struct {
	program   Program
	telemetry *telemetry
	deps      Deps
	waker     *queue.Waker
	shared    *limit.Shared
	closers   []func() // called by close, the last one first
}

// connect opens the database, which must be migrated, and Redis. The caller closes the process.
func connect(
	ctx context.Context, program Program, config Config, now func() time.Time, t *telemetry, logger *slog.Logger,
) (*process, error) {
	schema, err := checkSchema(ctx, config.Store)
	if err != nil {
		return nil, err
	}
	if !config.Store.Logins.Given() {
		logger.WarnContext(ctx, "services log in as the database's owner, whom row-level security doesn't restrict: set DATABASE_SERVICE_USER and DATABASE_EVERYWHERE_USER, and run chatserver migrate with them")
	}
	failpoints, err := failpoint.Parse(config.Failpoints)
	if err != nil {
		return nil, fmt.Errorf("CHAT_FAILPOINTS: %w", err)
	}
	providers, err := config.Providers.Load()
	if err != nil {
		return nil, err
	}
	config.Org.Methods = methods(program, providers)
	p := &process{program: program, telemetry: t, deps: Deps{
		Config: config, Providers: providers, Failpoints: failpoints,
		Version: product.Version(), Now: now, Logger: logger, Meter: t.meter, Tracer: t.spans(),
	}}
	if err := p.open(ctx, schema); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

// open opens the connections, and makes what depends on them. If it fails, some may be open.
func (p *process) open(ctx context.Context, schema store.Schema) (err error) {
	d := &p.deps
	client, err := queue.Connect(d.Config.Queue)
	if err != nil {
		return err
	}
	p.closers = append(p.closers, func() { _ = client.Close() }) // nothing is left to be sent to Redis
	d.Redis, p.waker = queue.New(client), queue.NewWaker(client, d.Failpoints, d.Logger)
	if d.DB, err = store.Open(ctx, d.Config.Store, p.waker); err != nil {
		return err
	}
	p.closers = append(p.closers, d.DB.Close)
	if err := errors.Join(d.DB.Measure(d.Meter), d.Redis.Load(ctx)); err != nil {
		return err
	}
	if err := checkOwners(ctx, d.Redis, d.Config, schema); err != nil {
		return err
	}
	if d.Keys, err = keyring.New(ctx, d.DB.ImageKeys, d.Now); err != nil {
		return err
	}
	if d.Images, err = signer(ctx, d.Config, d.DB, d.Now); err != nil {
		return err
	}
	d.Throttle, d.Presence = limit.NewThrottle(client), presence.NewStore(client)
	p.shared = limit.NewShared(client, d.Config.Limit.PerUser, d.Logger)
	hasher := newHasher(p.program)
	p.closers = append(p.closers, func() {
		if err := hasher.Close(); err != nil {
			d.Logger.WarnContext(ctx, "a process that computes hashes failed", slog.Any("error", err))
		}
	})
	tries := func(name string, rule limit.Rule) *limit.Tries { return limit.NewTries(client, name, rule) }
	d.addAccounts(tries, limit.NewKnownNetworks(client, d.Now), hasher)
	return nil
}

// close closes what open has opened.
func (p *process) close() {
	for _, one := range slices.Backward(p.closers) {
		one()
	}
}

// addAccounts adds the services of organizations and accounts, and the limits on logins and mail.
func (d *Deps) addAccounts(tries func(name string, rule limit.Rule) *limit.Tries, known *limit.KnownNetworks, hasher *password.Hasher) {
	limits := d.Config.Limit
	d.Orgs = org.New(d.DB, d.Config.Org, d.Now)
	d.Accounts = user.NewAuthenticator(d.DB, d.Config.Org, d.Now, d.Logger)
	d.Logins = login.New(login.Deps{
		DB: d.DB, Orgs: d.Orgs, Hasher: hasher, Mail: d.Config.Mail.Enabled(), Now: d.Now, Logger: d.Logger,
		Accounts:      tries("account", limits.Passwords),
		All:           tries("all", limits.Logins),
		Networks:      tries("network", limits.PasswordsFrom),
		KnownNetworks: known,
		Requests:      tries("mail", limits.MailRequests),
		RequestsADay:  tries("mail a day", limits.MailRequestsADay),
		RequestsFrom:  tries("mail from", limits.MailRequestsFrom),
	})
	d.MailTo, d.MailOf, d.MailIn = tries("mail to", limits.MailTo), tries("mail of", limits.MailOf), tries("mail in", limits.MailIn)
}

// hashesAtATime returns how many hashes are computed concurrently: on half of the processors.
func hashesAtATime() int { return min(max(1, runtime.GOMAXPROCS(0)/2), maxHashes) }

// newHasher returns the hasher of passwords.
func newHasher(program Program) *password.Hasher {
	if len(program.Hashing) == 0 {
		return password.NewHasher(hashesAtATime(), maxHashesWaiting)
	}
	return password.NewProcessHasher(hashesAtATime(), maxHashesWaiting, program.Hashing...)
}

// leaveMemory lowers this process's memory limit, if it has one, by the memory of the processes that compute hashes for it. They
// run in the same container, and anybody can make them start by guessing passwords. undo restores the limit.
func leaveMemory(program Program) (undo func()) {
	limit := debug.SetMemoryLimit(-1)
	if len(program.Hashing) == 0 || limit == math.MaxInt64 { // none is set
		return func() {}
	}
	debug.SetMemoryLimit(max(limit/2, limit-int64(hashesAtATime())*memoryOfHashes))
	return func() { debug.SetMemoryLimit(limit) }
}

// methods returns the ways to sign in besides passwords.
func methods(program Program, providers []provider.Provider) []org.Method {
	all := []org.Method(nil)
	for _, p := range providers {
		all = append(all, org.Method{Name: p.Slot, Subdomains: p.Organizations})
	}
	if program.Development {
		all = append(all, org.Method{Name: org.Development})
	}
	return all
}

// signer returns the signer of the URLs of images on other servers, or nil if this server doesn't fetch them.
func signer(ctx context.Context, config Config, db *store.DB, now func() time.Time) (*imagelink.Signer, error) {
	if !config.Images.Proxy {
		return nil, nil
	}
	return imagelink.New(ctx, db.ImageKeys, now)
}

// checkOwners checks that no other server uses the Redis or the database at present.
func checkOwners(ctx context.Context, redis *queue.Redis, config Config, schema store.Schema) error {
	if err := redis.CheckOwner(ctx, schema.Database); err != nil {
		return err
	}
	id, err := redis.ID(ctx)
	if err != nil {
		return nil //nolint:nilerr // what isn't known is no reason not to start
	}
	return schema.CheckUse(store.Server{Host: config.Org.ExternalHost, Redis: id})
}

// checkSchema returns the database's schema. It fails if that is too old or too new for this program.
func checkSchema(ctx context.Context, config store.Config) (store.Schema, error) {
	schema, err := store.ReadSchemaOf(ctx, config)
	if err != nil {
		return store.Schema{}, err
	}
	return schema, schema.Allows(product.Version())
}
