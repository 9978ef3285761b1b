package events

import (
	"context"
	"crypto/rand"
	"log/slog"
	"time"

	"go.opentelemetry.io/otel/metric"
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

// Config is how the service works.
type Config struct {
	dispatch.Config
	// QueuesPerAccount is how many queues an account may have. Where there is no room for another, the one
	// that has been without a request for longest goes. 0: any number.
	QueuesPerAccount uint16 `env:"EVENT_QUEUES_PER_ACCOUNT" envDefault:"100"`
}

// Deps are what the service works with.
type Deps struct {
	DB         *store.DB
	Redis      *queue.Redis
	State      *state.Reader
	Config     Config
	Failpoints *failpoint.Set // nil: none
	Version    string         // of the server
	Meter      metric.Meter
	Now        func() time.Time
	Logger     *slog.Logger
}

// Service is the service. It is safe for concurrent use, and works while Run does.
type Service struct {
	Deps

	room       *waiting.Room
	dispatcher *dispatch.Dispatcher
}

// New makes the service.
func New(d Deps) (*Service, error) {
	replica := rand.Text()[:10]
	payloads := waiting.NewPayloads(d.Redis, d.DB.Log())
	room, err := waiting.New(waiting.Deps{
		Redis: d.Redis, Payloads: payloads, Shards: d.DB.Shards(), Replica: replica, Meter: d.Meter, Now: d.Now,
	})
	if err != nil {
		return nil, err
	}
	dispatcher, err := dispatch.New(dispatch.Deps{
		Config: d.Config.Config, Log: d.DB.Log(), Shards: d.DB.Shards(), Redis: d.Redis, Payloads: payloads, Failpoints: d.Failpoints,
		Replica: replica, Meter: d.Meter, Now: d.Now, Logger: d.Logger,
	})
	return &Service{Deps: d, room: room, dispatcher: dispatcher}, err
}

// Endpoints are the service's; s may be nil where only their documentation is wanted.
func (s *Service) Endpoints() []endpoint.Endpoint {
	return []endpoint.Endpoint{Register(s), Poll(s), Delete(s)}
}

// Run works until ctx ends.
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

// listener is a queue.Listener: what concerns the log is for the dispatcher, and all else for the waiting room.
type listener struct {
	*waiting.Room
	*dispatch.Dispatcher
}

// Drain answers the waiting polls, spread over a time, so that their clients poll elsewhere.
func (s *Service) Drain(ctx context.Context, over time.Duration) { s.room.Drain(ctx, over) }

// Recheck answers the waiting polls of accounts that were changed, and of organizations that were deactivated, with nothing:
// whoever may still poll polls again, and everybody else gets the error that says why not.
func (s *Service) Recheck(users map[id.User]bool, orgs map[id.Org]bool) { s.room.Recheck(users, orgs) }

// Waiting is how many polls wait.
func (s *Service) Waiting() int { return s.room.Waiting() }
