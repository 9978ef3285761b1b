package boot

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"time"

	"go.opentelemetry.io/otel/metric"

	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/failpoint"
	"chatserver.dev/pkg/imagelink"
	"chatserver.dev/pkg/limit"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/presence"
	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/user"
)

// Part is a piece of a process: what it serves and what it does meanwhile. All fields but the name
// are optional.
type Part struct {
	// Name is for the log.
	Name string
	// Endpoints are what it serves of the interface.
	Endpoints []endpoint.Endpoint
	// Pages are what it serves besides, to everybody, by patterns of http.ServeMux; outside of /api/v1.
	Pages map[string]http.Handler
	// Run works until ctx ends, and returns when its goroutines are gone. An error ends the process.
	Run func(ctx context.Context) error
	// Drain answers requests that wait, spread over the given time, so that their clients don't all
	// come back at once. It returns when none waits any more, or when ctx ends.
	Drain func(ctx context.Context, over time.Duration)
	// Ready fails while the part can't serve.
	Ready func(ctx context.Context) error
}

// Program is a process.
type Program struct {
	// Name is for the log and for traces.
	Name string
	// GarbagePercent is how much garbage there may be beside what is in use before it is collected, unless
	// the variable GOGC says it; 0: Go's own 100. A process that keeps little and makes much garbage
	// answers faster with more.
	GarbagePercent int
	// Settings are pointers to the parts' own configuration, read like [Config].
	Settings []any
	// Parts makes the parts, in the order of their start.
	Parts func(d Deps) ([]Part, error)
	// Listener, where it is set, is used in place of Config.Addr.
	Listener net.Listener
	// Prepare, where it is set, is called before anything starts; an error ends the process.
	Prepare func(ctx context.Context, d Deps) error
	// Started, where it is set, is called when requests are served; an error ends the process.
	Started func(ctx context.Context, d Deps) error
}

// Deps is what parts are made of. It is all there once, for all parts of the process.
type Deps struct {
	Config     Config
	DB         *store.DB
	Redis      *queue.Redis
	Orgs       *org.Service
	Accounts   *user.Authenticator // of all requests
	Throttle   *limit.Throttle
	Presence   *presence.Keeper
	Images     *imagelink.Signer // nil: images of other servers are links
	Failpoints *failpoint.Set    // nil: none
	Version    string            // see [product.Version]
	Now        func() time.Time
	Logger     *slog.Logger
	Meter      metric.Meter // measures into the void where metrics are off
}
