package boot

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"time"

	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/failpoint"
	"chatserver.dev/pkg/imagelink"
	"chatserver.dev/pkg/keyring"
	"chatserver.dev/pkg/limit"
	"chatserver.dev/pkg/login"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/presence"
	"chatserver.dev/pkg/provider"
	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/user"
)

// Part is a part of a process: what it serves and what it runs. All fields except the name are optional.
type Part struct {
	// Name is for the log.
	Name string
	// Endpoints of the interface that it serves.
	Endpoints []endpoint.Endpoint
	// Pages are further handlers, open to everybody, by patterns of http.ServeMux outside of /api/v1.
	Pages map[string]http.Handler
	// Unknown is what browsers show for addresses outside of /api/ at which no part has a page; programs get the error of the
	// interface, as do browsers if no part has it.
	Unknown http.Handler
	// Run runs until ctx ends, and returns when its goroutines have ended. An error ends the process.
	Run func(ctx context.Context) error
	// Drain answers waiting requests, spread over the given time, so that their clients don't all reconnect at once. It
	// returns when none is waiting, or when ctx ends.
	Drain func(ctx context.Context, over time.Duration)
	// Ready returns an error while the part can't serve.
	Ready func(ctx context.Context) error
}

// Program is a process.
type Program struct {
	// Name is for the log and for traces.
	Name string
	// GarbagePercent is the value of GOGC unless the environment sets it; 0: Go's default of 100. A process with little
	// live memory and much garbage responds faster with a higher value.
	GarbagePercent int
	// Settings are pointers to the parts' configuration, which is read like [Config].
	Settings []any
	// Parts returns the parts, in the order of their start.
	Parts func(d Deps) ([]Part, error)
	// Development permits anybody to sign in as any account. It is for local runs.
	Development bool
	// Hashing is the command that computes hashes of passwords, see [password.NewProcessHasher]. Empty: this process does.
	Hashing []string
	// Listener is used in place of Config.Addr, unless it is nil.
	Listener net.Listener
	// Prepare is called before anything starts, unless it is nil; an error ends the process.
	Prepare func(ctx context.Context, d Deps) error
	// Started is called once requests are served, unless it is nil; an error ends the process.
	Started func(ctx context.Context, d Deps) error
}

// Deps are the dependencies that all parts of a process share.
type Deps struct {
	Config    Config
	DB        *store.DB
	Redis     *queue.Redis
	Orgs      *org.Service
	Accounts  *user.Authenticator // of all requests
	Logins    *login.Service
	Providers []provider.Provider // of identities
	// MailTo counts the mails of a kind to an address, MailOf those of an organization.
	MailTo, MailOf *limit.Tries
	// MailIn counts the incoming mails of an organization.
	MailIn     *limit.Tries
	Throttle   *limit.Throttle
	Presence   *presence.Store
	Images     *imagelink.Signer // nil: images of other servers are links
	Keys       *keyring.Ring
	Failpoints *failpoint.Set // nil: none
	Version    string         // see [product.Version]
	Now        func() time.Time
	Logger     *slog.Logger
	Meter      metric.Meter // records nothing if metrics are off
	Tracer     trace.Tracer // nil: traces are off
}
