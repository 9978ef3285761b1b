package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/redis/go-redis/v9"
	"go.opentelemetry.io/otel/metric/noop"
	"golang.org/x/sync/errgroup"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/localserver"
	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/store"
	"chatserver.dev/services/events/dispatch"
	"chatserver.dev/services/events/waiting"
)

// The size of an organization in the simulation.
const (
	people      = 500 // accounts, each with a client
	streams     = 20
	subscribers = 25 // of a stream
	registrars  = 16 // clients that register at a time
)

// outcome is the result of a simulation.
type outcome struct {
	queues, events, appends int
	dispatcher, redis       time.Duration // processor time, until everything was dispatched
	elapsed                 time.Duration
	queueBytes              float64 // of Redis, for each queue
	eventBytes              float64 // of PostgreSQL's log, for each event
}

// perAppend returns the share of a processor time for each queue that an event entered.
func (o outcome) perAppend(of time.Duration) time.Duration {
	return of / time.Duration(max(o.appends, 1))
}

func (o outcome) String() string {
	return fmt.Sprintf("%d clients: %d events entered %d queues in %v; for each %v of the dispatcher and %v of Redis; a queue takes %.0f bytes, an event %.0f in the log",
		o.queues, o.events, o.appends, o.elapsed.Round(time.Millisecond), o.perAppend(o.dispatcher), o.perAppend(o.redis), o.queueBytes, o.eventBytes)
}

// simulation is a dispatcher with its own servers.
type simulation struct {
	postgres *localserver.Postgres
	server   *localserver.Redis
	conn     *pgx.Conn
	client   redis.UniversalClient
	redis    *queue.Redis
	db       *store.DB
	mutex    sync.Mutex
	queues   map[int][]string // by shard
}

// nobody ignores wake-ups: the simulated dispatcher polls.
type nobody struct{}

func (nobody) Wake(int) {}

// simulate dispatches a number of events to the queues of a number of clients.
func simulate(ctx context.Context, clients, events int) (o outcome, err error) {
	s := &simulation{queues: map[int][]string{}}
	defer func() { err = errors.Join(err, s.close(context.WithoutCancel(ctx))) }()
	if err := s.open(ctx); err != nil {
		return o, err
	}
	organizations := max(1, clients/people)
	if o.queues, err = organizations*people, s.populate(ctx, organizations); err != nil {
		return o, err
	}
	shards := s.db.Shards()
	for shard := range shards {
		if _, err := dispatch.Start(ctx, s.db.Log(), s.redis, shard); err != nil {
			return o, err
		}
	}
	before, err := s.memory(ctx)
	if err != nil {
		return o, err
	}
	if err := s.register(ctx, organizations); err != nil {
		return o, err
	}
	after, err := s.memory(ctx)
	if err != nil {
		return o, err
	}
	o.queueBytes = float64(after-before) / float64(o.queues)
	// In the first round, the dispatcher loads all organizations, as it has after an hour in production.
	if _, err := s.dispatch(ctx, organizations*streams); err != nil {
		return o, err
	}
	had, err := s.entries(ctx)
	if err != nil {
		return o, err
	}
	spent, err := s.dispatch(ctx, events)
	if err != nil {
		return o, err
	}
	o.events, o.dispatcher, o.redis, o.elapsed = events, spent.dispatcher, spent.redis, spent.elapsed
	has, err := s.entries(ctx)
	if o.appends = has - had; err == nil {
		err = s.conn.QueryRow(ctx, "select sum(pg_total_relation_size(c.oid))::float8 / (select count(*) from event_log) from pg_class c where c.relname ~ '^event_log_' and c.relkind = 'r'").Scan(&o.eventBytes)
	}
	return o, err
}

func (s *simulation) open(ctx context.Context) (err error) {
	if s.postgres, err = localserver.StartPostgres(ctx, localserver.Options{}); err != nil {
		return err
	}
	if s.server, err = localserver.StartRedis(ctx, localserver.Options{}); err != nil {
		return err
	}
	database := s.postgres.URL("postgres")
	if _, err = store.Migrate(ctx, database); err != nil {
		return err
	}
	if s.conn, err = pgx.Connect(ctx, database); err != nil {
		return err
	}
	if s.db, err = store.Open(ctx, store.Config{URL: database, Connections: 2, IdleTimeout: time.Minute}, nobody{}); err != nil {
		return err
	}
	if s.client, err = queue.Connect(queue.Config{URL: s.server.URL()}); err != nil {
		return err
	}
	s.redis = queue.New(s.client)
	return s.redis.Load(ctx)
}

func (s *simulation) close(ctx context.Context) error {
	var errs []error
	if s.db != nil {
		s.db.Close()
	}
	if s.client != nil {
		errs = append(errs, s.client.Close())
	}
	if s.conn != nil {
		errs = append(errs, s.conn.Close(ctx))
	}
	if s.server != nil {
		errs = append(errs, s.server.Stop())
	}
	if s.postgres != nil {
		errs = append(errs, s.postgres.Stop())
	}
	return errors.Join(errs...)
}

// populate writes organizations directly to the database. Number i, from 0, has the accounts from i*people+1 on and the
// streams from i*streams+1 on. The subscribers of a stream have consecutive IDs.
func (s *simulation) populate(ctx context.Context, organizations int) error {
	for _, sql := range []string{
		"set session_replication_role = replica",
		`insert into organizations (org_id, subdomain, name) overriding system value select i, 'org' || i, 'Organization ' || i from generate_series(1, $1::int) i`,
		fmt.Sprintf(`insert into users (org_id, user_id, email, full_name, changed_at)
			select o, (o - 1) * %[1]d + u, 'u' || u || '@x', 'Person ' || u, now() from generate_series(1, $1::int) o, generate_series(1, %[1]d) u`, people),
		fmt.Sprintf(`insert into streams (org_id, stream_id, name) overriding system value
			select o, (o - 1) * %[1]d + s, 'stream ' || s from generate_series(1, $1::int) o, generate_series(1, %[1]d) s`, streams),
		fmt.Sprintf(`insert into subscriptions (org_id, stream_id, user_id, color, received)
			select o, (o - 1) * %[1]d + s, (o - 1) * %[2]d + 1 + ((s - 1) * %[3]d + u) %% %[2]d, '#c2c2c2', '{[1,)}'
			from generate_series(1, $1::int) o, generate_series(1, %[1]d) s, generate_series(1, %[3]d) u`, streams, people, subscribers),
	} {
		args := []any{organizations}
		if sql[:3] == "set" {
			args = nil
		}
		if _, err := s.conn.Exec(ctx, sql, args...); err != nil {
			return fmt.Errorf("populate: %w", err)
		}
	}
	_, err := s.conn.Exec(ctx, "vacuum (analyze)")
	return err
}

// register registers a queue for each account.
func (s *simulation) register(ctx context.Context, organizations int) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(registrars)
	for number := range organizations {
		group.Go(func() error {
			org := id.Org(number + 1)
			shard := s.db.Shard(org)
			for user := range people {
				d := queue.Descriptor{Org: org, User: id.User(number*people + user + 1), Types: []string{"message"}, Lifetime: 86400}
				name := queue.NewID(shard)
				if err := s.redis.Register(ctx, shard, name, d, queue.Quota{}); err != nil {
					return err
				}
				s.mutex.Lock()
				s.queues[shard] = append(s.queues[shard], name)
				s.mutex.Unlock()
			}
			return nil
		})
	}
	return group.Wait()
}

// entries returns the number of entries in all queues.
func (s *simulation) entries(ctx context.Context) (count int, err error) {
	for shard, names := range s.queues {
		lengths, err := s.redis.Lengths(ctx, shard, names)
		if err != nil {
			return 0, err
		}
		for _, length := range lengths {
			count += int(length)
		}
	}
	return count, nil
}

// dispatch writes events to the log, one stream after the other, and then dispatches them.
func (s *simulation) dispatch(ctx context.Context, events int) (o outcome, err error) {
	text := strings.Repeat("What people write. ", 13)
	message, err := event.Message{
		MessageFields: event.MessageFields{
			Type: "stream", SenderID: 1, SenderEmail: "u1@x", SenderFullName: "Person 1", Client: "simulation",
			Subject: "topic", RecipientID: 1, DisplayRecipient: "stream 1", StreamID: 1,
		},
		Content: text, Rendered: "<p>" + text + "</p>", AvatarURL: "/avatar/1?version=1",
	}.EncodeAfterID()
	if err != nil {
		return o, err
	}
	_, err = s.conn.Exec(ctx, fmt.Sprintf(`insert into event_log (shard, org_id, type, payload, audience)
		select o.org_id %% (select shards from installation), o.org_id, 'message',
			'{"type":"message","message":{"id":' || n || ',"timestamp":1234567890,' || $2,
			'{"subscribers":' || (o.org_id - 1) * %[1]d + 1 + n / c.organizations %% %[1]d || ',"public":true}'
		from generate_series(0, $1::int - 1) n, (select count(*)::int as organizations from organizations) c, organizations o
		where o.org_id = 1 + n %% c.organizations order by n`, streams), events, message)
	if err != nil {
		return o, fmt.Errorf("write events: %w", err)
	}
	d, err := dispatch.New(dispatch.Deps{
		Config: dispatch.Config{LogKeep: 24 * time.Hour}, Log: s.db.Log(), Shards: s.db.Shards(), Redis: s.redis,
		Payloads: waiting.NewPayloads(s.redis, s.db.Log()), Replica: "simulation", Meter: noop.Meter{}, Now: time.Now, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return o, err
	}
	start, own := time.Now(), processTime()
	theirs, err := s.redisTime(ctx)
	if err != nil {
		return o, err
	}
	running, stop := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- d.Run(running) }()
	err = s.drained(ctx)
	o.elapsed, o.dispatcher = time.Since(start), processTime()-own
	now, failed := s.redisTime(ctx)
	o.redis = now - theirs
	stop()
	return o, errors.Join(err, failed, <-done)
}

// drained waits until all events are dispatched.
func (s *simulation) drained(ctx context.Context) error {
	rows, err := s.conn.Query(ctx, "select distinct on (shard) shard, xid::text::bigint, id from event_log order by shard, xid desc, id desc")
	if err != nil {
		return err
	}
	type end struct {
		Shard int
		Xid   uint64
		ID    int64
	}
	ends, err := pgx.CollectRows(rows, pgx.RowToStructByPos[end])
	if err != nil {
		return err
	}
	for _, e := range ends {
		for {
			cursor, _, err := s.redis.Cursor(ctx, e.Shard)
			if err != nil {
				return err
			}
			if cursor.Through == 0 && len(cursor.Behind) == 0 && !cursor.Before(store.Position{Xid: e.Xid, ID: e.ID}) {
				break
			}
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(5 * time.Millisecond):
			}
		}
	}
	return nil
}

// memory returns the memory that Redis uses, in bytes.
func (s *simulation) memory(ctx context.Context) (used int64, err error) {
	info, err := s.client.InfoMap(ctx, "memory").Result()
	if err == nil {
		_, err = fmt.Sscan(info["Memory"]["used_memory"], &used)
	}
	return used, err
}

// redisTime returns the processor time that Redis has used so far.
func (s *simulation) redisTime(ctx context.Context) (time.Duration, error) {
	info, err := s.client.InfoMap(ctx, "cpu").Result()
	if err != nil {
		return 0, err
	}
	var user, system float64
	_, err = fmt.Sscan(info["CPU"]["used_cpu_user"]+" "+info["CPU"]["used_cpu_sys"], &user, &system)
	return time.Duration((user + system) * float64(time.Second)), err
}

// processTime returns the processor time that this process has used so far.
func processTime() time.Duration {
	usage := syscall.Rusage{}
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage) // it can't fail for the process itself
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
