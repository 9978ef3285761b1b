//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/redis/go-redis/v9"

	"chatserver.dev/pkg/private"
	"chatserver.dev/pkg/store"
)

// logFiles is how many files of 16 MiB PostgreSQL's log has from the beginning.
const logFiles = 100

// bench is everything that a run needs.
type bench struct {
	options
	dir      string // temporary
	postgres *private.Postgres
	redis    *private.Redis
	db       *pgx.Conn // as the superuser
	store    *redis.Client
	api      *service
	events   *service
	org      organization
	texts    []string
	queues   map[int]*eventQueue // of the accounts that have one
	table    table
}

// newBench starts the servers and ours, with an organization.
func newBench(ctx context.Context, opts options) (_ *bench, err error) {
	b := &bench{options: opts, queues: map[int]*eventQueue{}, texts: makeTexts(texts)}
	defer func() {
		if err != nil {
			err = errors.Join(err, b.close(context.WithoutCancel(ctx)))
		}
	}()
	if b.dir, err = os.MkdirTemp("", "bench-"); err != nil {
		return nil, err
	}
	say("starting PostgreSQL, Redis and the services")
	b.postgres, err = private.StartPostgres(ctx, private.Options{Durable: true, Settings: map[string]string{
		"shared_buffers": "1GB", "max_wal_size": "4GB", "min_wal_size": "2GB", "checkpoint_timeout": "15min",
		"autovacuum": "off", // it would work off one side's rows in the other's time
	}})
	if err != nil {
		return nil, err
	}
	if b.redis, err = private.StartRedis(ctx, private.Options{Durable: true}); err != nil {
		return nil, err
	}
	if _, err := store.Migrate(ctx, b.postgres.URL("postgres")); err != nil {
		return nil, err
	}
	if b.db, err = pgx.Connect(ctx, b.postgres.URL("postgres")); err != nil {
		return nil, err
	}
	if err := b.growLog(ctx); err != nil {
		return nil, err
	}
	address, err := redis.ParseURL(b.redis.URL())
	if err != nil {
		return nil, err
	}
	b.store = redis.NewClient(address)
	if b.org, err = b.populate(ctx); err != nil {
		return nil, err
	}
	if b.api, err = b.startService(ctx, "api", b.postgres.URL("postgres"), b.redis); err != nil {
		return nil, err
	}
	if b.events, err = b.startService(ctx, "events", b.postgres.URL("postgres"), b.redis); err != nil {
		return nil, err
	}
	return b, b.warmUp(ctx)
}

// growLog makes as many files of PostgreSQL's log as a run writes. A server that has run for a while has them, since it
// uses old ones again. Making one takes 16 MiB of writes and a sync, and all commits wait for that.
func (b *bench) growLog(ctx context.Context) error {
	for range logFiles {
		if _, err := b.db.Exec(ctx, "select pg_logical_emit_message(false, 'bench', ''), pg_switch_wal()"); err != nil {
			return fmt.Errorf("make files of PostgreSQL's log: %w", err)
		}
	}
	if _, err := b.db.Exec(ctx, "checkpoint"); err != nil { // the files are free from here on
		return fmt.Errorf("make files of PostgreSQL's log: %w", err)
	}
	return nil
}

// close ends everything that runs.
func (b *bench) close(ctx context.Context) error {
	var errs []error
	for _, s := range []*service{b.api, b.events} {
		if s != nil {
			errs = append(errs, s.stop())
		}
	}
	if b.store != nil {
		errs = append(errs, b.store.Close())
	}
	if b.db != nil {
		errs = append(errs, b.db.Close(ctx))
	}
	if b.redis != nil {
		errs = append(errs, b.redis.Stop())
	}
	if b.postgres != nil {
		errs = append(errs, b.postgres.Stop())
	}
	return errors.Join(append(errs, os.RemoveAll(b.dir))...)
}

// servers are the processes whose time counts as ours.
func (b *bench) servers() []int {
	return []int{b.api.pid(), b.events.pid(), b.postgres.PID(), b.redis.PID()}
}

// shares returns a note on how the time of servers is spread over them.
func shares(busy times) string {
	var parts []string
	for i, name := range []string{"api", "events", "PostgreSQL", "Redis"} {
		parts = append(parts, fmt.Sprintf("%s %.0f %%", name, 100*float64(busy[i])/float64(max(busy.total(), 1))))
	}
	return "of the last run's time " + strings.Join(parts, ", ")
}

// adminToken is the token of the admin interface.
const adminToken = "bench-bench-bench-bench-bench" //nolint:gosec // of servers that live as long as a run

// service is one of our programs that is running.
type service struct {
	name string
	addr string
	// admin is where its admin interface is, if it has one.
	admin string
	path  string
	args  []string
	env   []string
	log   string
	cmd   *exec.Cmd
}

// startService starts one of our programs on a database and waits until it is ready.
func (b *bench) startService(ctx context.Context, name, database string, redis *private.Redis) (*service, error) {
	addr, err := freeAddr()
	if err != nil {
		return nil, err
	}
	metrics, err := freeAddr()
	if err != nil {
		return nil, err
	}
	admin, err := freeAddr()
	if err != nil {
		return nil, err
	}
	profiles, err := freeAddr()
	if err != nil {
		return nil, err
	}
	path, err := filepath.Abs(filepath.Join(b.bin, name))
	if err != nil {
		return nil, err
	}
	s := &service{
		name: name, addr: addr, admin: admin, path: path, log: filepath.Join(b.dir, name+".log"),
		env: append(os.Environ(), "DATABASE_URL="+database, "REDIS_URL="+redis.URL(),
			"CHAT_ADDR="+addr, "METRICS_ADDR="+metrics, "LOG_LEVEL=warn",
			"PPROF_ADDR="+profiles, "ADMIN_ADDR="+admin, "ADMIN_TOKEN="+adminToken,
			// As good as unlimited, but checked at each request.
			"RATE_LIMIT_PER_USER=600000000/60s", "MAX_STREAMS=60000", "MAX_STREAMS_PER_DAY=60000"),
	}
	say("%s at %s, metrics at %s, profiles at %s", name, addr, metrics, profiles)
	if err := s.start(ctx); err != nil {
		return nil, errors.Join(err, s.stop())
	}
	return s, nil
}

func (s *service) pid() int { return s.cmd.Process.Pid }

// start runs the program and waits until it is ready.
func (s *service) start(ctx context.Context) error {
	log, err := os.OpenFile(s.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close() //nolint:errcheck // the program has its own copy
	s.cmd = exec.CommandContext(context.WithoutCancel(ctx), s.path, s.args...)
	s.cmd.Env, s.cmd.Stdout, s.cmd.Stderr = s.env, log, log
	// Ctrl-C is for this program alone, which ends its services; they don't outlive it either.
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if err := s.cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", s.name, err)
	}
	return s.awaitReady(ctx, "/readyz")
}

// awaitReady asks until a path is answered with 200.
func (s *service) awaitReady(ctx context.Context, path string) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	for {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.addr+path, http.NoBody)
		if err != nil {
			return err
		}
		response, err := http.DefaultClient.Do(request)
		if err == nil {
			err = response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return err
			}
		}
		if pause(ctx, 50*time.Millisecond) != nil {
			return fmt.Errorf("%s is not ready: %w%s", s.name, errors.Join(err, ctx.Err()), s.tail())
		}
	}
}

// tail is the end of what the program wrote, for an error's text.
func (s *service) tail() string {
	raw, err := os.ReadFile(s.log)
	if err != nil || len(raw) == 0 {
		return ""
	}
	return "; its log ends:\n" + string(raw[max(0, len(raw)-2000):])
}

// stop ends the program in order, or after a while anyhow.
func (s *service) stop() error {
	if s.cmd == nil || s.cmd.Process == nil {
		return nil
	}
	timer := time.AfterFunc(40*time.Second, func() { _ = s.cmd.Process.Kill() })
	defer timer.Stop()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	err := s.cmd.Wait()
	s.cmd = nil
	exit := &exec.ExitError{}
	if errors.As(err, &exit) {
		return fmt.Errorf("%s: %w%s", s.name, err, s.tail())
	}
	return err
}

// kill ends the program at once.
func (s *service) kill() error {
	if s.cmd == nil || s.cmd.Process == nil {
		return nil
	}
	if err := s.cmd.Process.Kill(); err != nil {
		return err
	}
	_ = s.cmd.Wait() // it ended by the signal
	s.cmd = nil
	return nil
}

// restart ends the program and starts it again at the same address.
func (s *service) restart(ctx context.Context) error {
	if err := s.stop(); err != nil {
		return err
	}
	return s.start(ctx)
}

// freeAddr returns a local address that nobody listens at.
func freeAddr() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // it doesn't wait
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}

// say logs progress.
func say(format string, args ...any) {
	fmt.Fprintln(os.Stderr, time.Now().Format("15:04:05"), strings.TrimSpace(fmt.Sprintf(format, args...)))
}
