//go:build linux

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/redis/go-redis/v9"

	"chatserver.dev/pkg/localserver"
	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/store"
)

// logFiles is the initial number of files of PostgreSQL's log, of 16 MiB each.
const logFiles = 100

// bench is the state of a run.
type bench struct {
	options
	installation
	dir      string // temporary
	postgres *localserver.Postgres
	store    *redis.Client // the Redis that has the organization's shard
	org      organization
	texts    []string
	queues   map[int]*eventQueue // of the accounts that have one
	table    table
}

// newBench starts all servers, with an organization. The result must be closed even if it fails.
func newBench(ctx context.Context, opts options) (b *bench, err error) {
	b = &bench{options: opts, queues: map[int]*eventQueue{}, texts: makeTexts(texts)}
	if b.dir, err = os.MkdirTemp(opts.dir, "bench-"); err != nil {
		return b, err
	}
	if err := os.Chmod(b.dir, 0o711); err != nil { //nolint:gosec // PostgreSQL's account has to pass through
		return b, err
	}
	say("starting PostgreSQL, Redis and the services")
	b.postgres, err = localserver.StartPostgres(ctx, localserver.Options{Dir: b.data("postgres"), Durable: true, Settings: map[string]string{
		"shared_buffers": "1GB", "max_wal_size": "4GB", "min_wal_size": "2GB", "checkpoint_timeout": "15min",
		"autovacuum": "off", // it would process the rows of one side while the other is measured
	}})
	if err != nil {
		return b, err
	}
	err = b.install(ctx, b, "postgres", localserver.Options{Dir: b.data("redis"), Durable: true}, func() (err error) {
		if err = b.growLog(ctx); err == nil {
			b.org, err = b.populate(ctx)
		}
		return err
	})
	if err != nil {
		return b, err
	}
	b.store = redis.NewClient(&redis.Options{Network: "unix", Addr: b.redis.Socket()})
	return b, b.warmUp(ctx)
}

// growLog creates the files of PostgreSQL's log that a run needs. A server that has run for a while has them, since it
// reuses old ones. Creating a file takes 16 MiB of writes and a sync, for which all commits wait.
func (b *bench) growLog(ctx context.Context) error {
	for range logFiles {
		if _, err := b.db.Exec(ctx, "select pg_logical_emit_message(false, 'bench', ''), pg_switch_wal()"); err != nil {
			return fmt.Errorf("make files of PostgreSQL's log: %w", err)
		}
	}
	_, err := b.db.Exec(ctx, "checkpoint") // the files are free from here on
	return err
}

// data returns the folder of a server's data.
func (b *bench) data(name string) string { return filepath.Join(b.dir, name) }

// files returns the folder for uploaded files of the services.
func (b *bench) files() string { return filepath.Join(b.dir, "files") }

// close stops all servers, and removes their data.
func (b *bench) close(ctx context.Context) error {
	errs := []error{b.installation.close(ctx), b.closeStore()}
	if b.postgres != nil {
		errs = append(errs, b.postgres.Stop())
	}
	return errors.Join(append(errs, os.RemoveAll(b.dir))...)
}

func (b *bench) closeStore() error {
	if b.store == nil {
		return nil
	}
	return b.store.Close()
}

// servers returns the processes whose processor time is measured.
func (b *bench) servers() []int {
	pids := []int{b.api.pid(), b.events.pid(), b.postgres.PID(), b.redis.PID()}
	for _, node := range b.others {
		pids = append(pids, node.PID())
	}
	for _, replica := range b.replicas {
		pids = append(pids, replica.pid())
	}
	return pids
}

// shares returns a note about the distribution of processor time over the servers.
func shares(busy times) string {
	var parts []string
	part := func(name string, used times) {
		parts = append(parts, fmt.Sprintf("%s %.0f %%", name, 100*float64(used.total())/float64(max(busy.total(), 1))))
	}
	for i, name := range []string{"api", "events", "PostgreSQL", "Redis"} {
		part(name, busy[i:i+1])
	}
	if others := busy[4:]; len(others) > 0 {
		part("the others", others)
	}
	return "of the last run's time " + strings.Join(parts, ", ")
}

// installation is a database with the services and their own Redis.
type installation struct {
	db       *pgx.Conn            // as the superuser
	redis    *localserver.Redis   // of several, the one that has the organization's shard
	others   []*localserver.Redis // of a cluster
	api      *service
	events   *service
	replicas []*service // more of events
}

// install fills a database and starts the programs on it. The result must be closed even if it fails.
func (n *installation) install(ctx context.Context, b *bench, name string, options localserver.Options, fill func() error) (err error) {
	database := b.postgres.URL(name)
	if err := n.migrate(ctx, database, fill); err != nil {
		return err
	}
	if n.redis, err = localserver.StartRedis(ctx, options); err != nil {
		return err
	}
	return n.serve(ctx, b, database, queue.Config{URL: n.redis.URL()})
}

// migrate migrates and fills a database.
func (n *installation) migrate(ctx context.Context, database string, fill func() error) (err error) {
	if _, err = store.Migrate(ctx, database); err != nil {
		return err
	}
	if n.db, err = pgx.Connect(ctx, database); err != nil {
		return err
	}
	return fill()
}

// serve starts the services on a database and a Redis.
func (n *installation) serve(ctx context.Context, b *bench, database string, cache queue.Config) (err error) {
	if n.api, err = b.startService(ctx, "api", database, cache); err != nil {
		return err
	}
	n.events, err = b.startService(ctx, "events", database, cache)
	return err
}

func (n *installation) close(ctx context.Context) error {
	errs := []error{n.stopReplicas(), n.api.stop(), n.events.stop()}
	for _, node := range append(n.others, n.redis) {
		if node != nil {
			errs = append(errs, node.Stop())
		}
	}
	if n.db != nil {
		errs = append(errs, n.db.Close(ctx))
	}
	return errors.Join(errs...)
}

// adminToken is the token of the admin interface.
const adminToken = "bench-bench-bench-bench-bench" //nolint:gosec // of servers that live as long as a run

// service is a running program: a service, or this program with another command.
type service struct {
	name  string
	addr  string
	admin string // address of its admin interface, if it has one
	meter string // address of its metrics, if it has some
	path  string
	args  []string
	env   []string
	log   string
	cmd   *exec.Cmd
}

// startService starts a service on a database and waits until it is ready.
func (b *bench) startService(ctx context.Context, name, database string, cache queue.Config) (*service, error) {
	var addrs [4]string
	for i := range addrs {
		var err error
		if addrs[i], err = localserver.FreeAddr(ctx); err != nil {
			return nil, err
		}
	}
	path, err := filepath.Abs(filepath.Join(b.bin, name))
	if err != nil {
		return nil, err
	}
	say("%s at %s, metrics at %s, profiles at %s", name, addrs[0], addrs[2], addrs[3])
	s := &service{name: name, addr: addrs[0], admin: addrs[1], meter: addrs[2], path: path, env: []string{
		"DATABASE_URL=" + database, "REDIS_URL=" + cache.URL, "REDIS_TOPOLOGY=" + cmp.Or(cache.Topology, "single"), "CHAT_ADDR=" + addrs[0], "LOG_LEVEL=warn",
		"ADMIN_ADDR=" + addrs[1], "ADMIN_TOKEN=" + adminToken, "METRICS_ADDR=" + addrs[2], "PPROF_ADDR=" + addrs[3],
		// As good as unlimited, but checked at each request.
		"RATE_LIMIT_PER_USER=600000000/60s", "RATE_LIMIT_LOGINS=600000000/60s", "RATE_LIMIT_PASSWORDS=600000000/60s", "RATE_LIMIT_PASSWORDS_FROM=600000000/60s",
		"FILES_DIR=" + b.files(), "MAX_STREAMS=60000", "MAX_STREAMS_PER_DAY=60000",
	}}
	return s, s.start(ctx, b.dir)
}

// startSelf starts this program in another process with a command of [floors], an address and further arguments, and
// waits until it is ready.
func (b *bench) startSelf(ctx context.Context, env []string, command string, args ...string) (*service, error) {
	addr, err := localserver.FreeAddr(ctx)
	if err != nil {
		return nil, err
	}
	path, err := os.Executable()
	if err != nil {
		return nil, err
	}
	s := &service{name: command, addr: addr, path: path, args: append([]string{command, addr}, args...), env: env}
	return s, s.start(ctx, b.dir)
}

func (s *service) pid() int { return s.cmd.Process.Pid }

// start runs the program with its log in a folder, and waits until it is ready.
func (s *service) start(ctx context.Context, dir string) error {
	s.log = filepath.Join(dir, s.name+".log")
	log, err := os.OpenFile(s.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close() //nolint:errcheck // the program has its own copy
	s.cmd = exec.CommandContext(context.WithoutCancel(ctx), s.path, s.args...)
	s.cmd.Env, s.cmd.Stdout, s.cmd.Stderr = append(os.Environ(), s.env...), log, log
	// Ctrl-C ends only this program, which then stops the services. They are killed if it dies.
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if err := s.cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", s.name, err)
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	for {
		err := ask(ctx, s.addr, encode("GET", "/readyz", s.addr, "", ""), nil)
		if err == nil {
			return nil
		}
		if pause(ctx, 50*time.Millisecond) != nil {
			return fmt.Errorf("%s is not ready: %w%s", s.name, err, s.tail())
		}
	}
}

// tail returns the end of the program's log, for the text of an error.
func (s *service) tail() string {
	raw, err := os.ReadFile(s.log)
	if err != nil || len(raw) == 0 {
		return ""
	}
	return "; its log ends:\n" + string(raw[max(0, len(raw)-2000):])
}

// stop terminates the program, and kills it if it hasn't ended after a while.
func (s *service) stop() error {
	if s == nil || s.cmd == nil || s.cmd.Process == nil {
		return nil
	}
	process := s.cmd.Process
	timer := time.AfterFunc(40*time.Second, func() { _ = process.Kill() })
	defer timer.Stop()
	if err := process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	err := s.cmd.Wait()
	status, _ := s.cmd.ProcessState.Sys().(syscall.WaitStatus)
	s.cmd = nil
	if err != nil && status.Signal() != syscall.SIGTERM { // which is how this program ends as a floor
		return fmt.Errorf("%s: %w%s", s.name, err, s.tail())
	}
	return nil
}

// restart stops the program and starts it again at the same address.
func (s *service) restart(ctx context.Context) error {
	if err := s.stop(); err != nil {
		return err
	}
	return s.start(ctx, filepath.Dir(s.log))
}

// say logs progress.
func say(format string, args ...any) {
	fmt.Fprintln(os.Stderr, time.Now().Format("15:04:05"), strings.TrimSpace(fmt.Sprintf(format, args...)))
}
