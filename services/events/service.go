package events

import (
	"context"
	"crypto/rand"
	"log/slog"
	"time"

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
	// Woken, if set, is called with the time from the beginning of an event's transaction to the answer of the polls
	// that waited for it.
	Woken func(ctx context.Context, after time.Duration)
	// Aside, if set, is called for each event that can't be delivered and is put aside.
	Aside  func(ctx context.Context)
	Now    func() time.Time
	Logger *slog.Logger
}

// Service is the service. It is safe for concurrent use, and works while Run does.
type Service struct {
	config     Config
	db         *store.DB
	redis      *queue.Redis
	state      *state.Reader
	failpoints *failpoint.Set
	version    string
	logger     *slog.Logger
	room       *waiting.Room
	dispatcher *dispatch.Dispatcher
}

// New makes the service.
func New(d Deps) *Service {
	replica := rand.Text()[:10]
	payloads := waiting.NewPayloads(d.Redis, d.DB.Log())
	return &Service{
		config: d.Config, db: d.DB, redis: d.Redis, state: d.State, failpoints: d.Failpoints, version: d.Version, logger: d.Logger,
		room: waiting.New(waiting.Deps{
			Redis: d.Redis, Payloads: payloads, Shards: d.DB.Shards(), Replica: replica, Woken: d.Woken, Now: d.Now,
		}),
		dispatcher: dispatch.New(dispatch.Deps{
			Config: d.Config.Config, Log: d.DB.Log(), Shards: d.DB.Shards(), Redis: d.Redis, Fresh: payloads, Failpoints: d.Failpoints,
			Replica: replica, Aside: d.Aside, Now: d.Now, Logger: d.Logger,
		}),
	}
}

// Endpoints are the service's; s may be nil where only their documentation is wanted.
func (s *Service) Endpoints() []endpoint.Endpoint {
	return []endpoint.Endpoint{Register(s), Poll(s), Delete(s)}
}

// Run works until ctx ends.
func (s *Service) Run(ctx context.Context) error {
	if err := s.redis.Load(ctx); err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return s.room.Run(ctx) })
	group.Go(func() error { return s.dispatcher.Run(ctx) })
	group.Go(func() error { return s.redis.Listen(ctx, s.db.Shards(), listener{s.room, s.dispatcher}, s.logger) })
	return group.Wait()
}

// listener passes what is heard on to whom it concerns.
type listener struct {
	*waiting.Room
	dispatcher *dispatch.Dispatcher
}

// LogNews is for the dispatcher.
func (l listener) LogNews(shard int) { l.dispatcher.LogNews(shard) }

// LeaseFree is for the dispatcher.
func (l listener) LeaseFree(shard int) { l.dispatcher.LeaseFree(shard) }

// Drain answers the waiting polls, spread over a time, so that their clients poll elsewhere.
func (s *Service) Drain(ctx context.Context, over time.Duration) { s.room.Drain(ctx, over) }

// Recheck answers the waiting polls of accounts that were changed, with nothing: whoever may still poll polls
// again, and everybody else gets the error that says why not.
func (s *Service) Recheck(users map[id.User]bool) { s.room.Recheck(users) }

// Lags are how old the oldest event is that isn't dispatched yet, by shard, for the shards that are
// dispatched here.
func (s *Service) Lags() map[int]time.Duration { return s.dispatcher.Lags() }

// Waiting is how many polls wait.
func (s *Service) Waiting() int { return s.room.Waiting() }
