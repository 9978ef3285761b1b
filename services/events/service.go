package events

import (
	"context"
	"crypto/rand"
	"log/slog"
	"time"

	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"
	"golang.org/x/sync/errgroup"

	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/failpoint"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/store"
	"chatserver.dev/services/events/dispatch"
	"chatserver.dev/services/events/state"
	"chatserver.dev/services/events/waiting"
)

// Config configures the service.
type Config struct {
	dispatch.Config
	// QueuesPerAccount is the maximum number of queues of an account. Another one replaces the queue whose last request
	// is oldest. 0: no limit.
	QueuesPerAccount uint16 `env:"EVENT_QUEUES_PER_ACCOUNT" envDefault:"100"`
}

// Deps are the dependencies of the service.
type Deps struct {
	DB         *store.DB
	Redis      *queue.Redis
	State      *state.Reader
	Config     Config
	Failpoints *failpoint.Set // nil: none
	Host       string         // the name of the server's root domain
	Version    string         // of the server
	Meter      metric.Meter
	Tracer     trace.Tracer // nil: off
	Now        func() time.Time
	Logger     *slog.Logger
}

// Service registers queues and answers polls while [Service.Run] is running. It is safe for concurrent use.
type Service struct {
	Deps

	room       *waiting.Room
	dispatcher *dispatch.Dispatcher
}

// New returns a service, which is started by [Service.Run].
func New(d Deps) (*Service, error) {
	replica := rand.Text()[:10]
	payloads := waiting.NewPayloads(d.Redis, d.DB.Log())
	room, err := waiting.New(waiting.Deps{
		Redis: d.Redis, Payloads: payloads, Shards: d.DB.Shards(), Replica: replica, Meter: d.Meter, Now: d.Now, Logger: d.Logger,
	})
	if err != nil {
		return nil, err
	}
	dispatcher, err := dispatch.New(dispatch.Deps{
		Config: d.Config.Config, Log: d.DB.Log(), Shards: d.DB.Shards(), Redis: d.Redis, Payloads: payloads, Failpoints: d.Failpoints,
		Replica: replica, Host: d.Host, Meter: d.Meter, Tracer: d.Tracer, Now: d.Now, Logger: d.Logger,
	})
	return &Service{Deps: d, room: room, dispatcher: dispatcher}, err
}

// Endpoints returns the service's endpoints. s may be nil if only their documentation is used.
func (s *Service) Endpoints() []endpoint.Endpoint {
	return []endpoint.Endpoint{Register(s), Poll(s), Delete(s)}
}

// Run runs the service until ctx ends.
func (s *Service) Run(ctx context.Context) error {
	if err := s.Redis.Load(ctx); err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return s.room.Run(ctx) })
	group.Go(func() error { return s.dispatcher.Run(ctx) })
	group.Go(func() error { return s.Redis.Listen(ctx, s.DB.Shards(), listener{s.room, s.dispatcher}, s.Logger) })
	return group.Wait()
}

// listener is a queue.Listener. The dispatcher handles notifications about the log and leases, and the waiting room all
// others.
type listener struct {
	*waiting.Room
	*dispatch.Dispatcher
}

// Drain answers the waiting polls, spread over a time, so that their clients poll at other replicas.
func (s *Service) Drain(ctx context.Context, over time.Duration) { s.room.Drain(ctx, over) }

// Recheck ends the waiting polls of changed accounts and deactivated organizations with empty answers. Their clients
// poll again and are authenticated again, so that clients without access get the error.
func (s *Service) Recheck(users map[id.User]bool, orgs map[id.Org]bool) { s.room.Recheck(users, orgs) }

// Waiting returns the number of waiting polls.
func (s *Service) Waiting() int { return s.room.Waiting() }
