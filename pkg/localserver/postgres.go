package localserver

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// superuser is the role that initdb creates. It needs no password, because only the owner has access to the socket.
const superuser = "postgres"

// fastShutdown ends sessions and writes a checkpoint.
const fastShutdown = syscall.SIGINT

// Postgres is a running PostgreSQL server.
type Postgres struct{ server }

// StartPostgres starts a PostgreSQL server, makes its data directory if it doesn't exist, and returns when the server
// accepts connections. The server runs until ctx ends, Stop is called or this process ends. It fails with ErrMissing
// if PostgreSQL is not installed.
func StartPostgres(ctx context.Context, options Options) (*Postgres, error) {
	return startPostgres(ctx, options, initdb)
}

// Replicated returns the Settings for a server with replicas, and for the replicas. A server writes commits to disk
// before it confirms them, and keeps them for replicas that are disconnected.
func Replicated() map[string]string {
	return map[string]string{
		"wal_level": "replica", "max_wal_senders": "4", "wal_keep_size": "512MB", "wal_retrieve_retry_interval": "50ms", "synchronous_commit": "on",
	}
}

// StartReplica starts a streaming replica of a server, like StartPostgres. Both need the Settings that [Replicated]
// returns.
func StartReplica(ctx context.Context, of *Postgres, options Options) (*Postgres, error) {
	return startPostgres(ctx, options, func(raw string, durable bool) (program string, args []string) {
		args = []string{"--pgdata=" + raw, "--host=" + of.SocketDir(), "--username=" + superuser, "--checkpoint=fast", "--wal-method=stream", "--write-recovery-conf"}
		if !durable {
			args = append(args, "--no-sync")
		}
		return "pg_basebackup", args
	})
}

// StartCopy starts a server with a copy of the data of another one, which must have been ended by Halt. That is
// quicker than creating and migrating another database.
func StartCopy(ctx context.Context, of *Postgres, options Options) (*Postgres, error) {
	copyFiles, err := exec.LookPath("cp")
	if err != nil {
		return nil, fmt.Errorf("copy a data directory: %w", err)
	}
	return startPostgres(ctx, options, func(raw string, _ bool) (program string, args []string) {
		return copyFiles, []string{"-a", of.DataDir(), raw}
	})
}

// fill returns a program that fills a data directory, as a path or as the name of a program of PostgreSQL, and its
// arguments.
type fill func(raw string, durable bool) (program string, args []string)

func initdb(raw string, durable bool) (program string, args []string) {
	// This sorts by code point, and supports upper and lower case in every script.
	letters := "C.UTF-8"
	if runtime.GOOS == "darwin" {
		letters = "en_US.UTF-8"
	}
	args = []string{
		"--pgdata=" + raw, "--username=" + superuser, "--encoding=UTF8", "--locale=C", "--lc-ctype=" + letters,
		"--auth-local=trust", "--auth-host=reject", "--no-instructions",
	}
	if !durable {
		args = append(args, "--no-sync")
	}
	return "initdb", args
}

func startPostgres(ctx context.Context, options Options, fill fill) (*Postgres, error) {
	as, err := unprivileged()
	if err != nil {
		return nil, err
	}
	// This comes before the directories are created, so that missing programs are reported first.
	path, err := findPostgres(ctx)
	if err != nil {
		return nil, err
	}
	place, err := open(ctx, options, as, fastShutdown)
	if err != nil {
		return nil, err
	}
	p := &Postgres{}
	data := filepath.Join(place.dir, "data")
	if _, err := os.Stat(filepath.Join(data, "PG_VERSION")); err == nil {
		if path, err = findPostgresOf(ctx, data); err != nil {
			return nil, errors.Join(err, place.close())
		}
	}
	p.place = place
	p.socket = filepath.Join(place.socket, ".s.PGSQL.5432")
	p.launch = launch{
		path: path,
		args: postgresArgs(data, place.socket, options),
		as:   as,
		log:  filepath.Join(place.dir, "postgres.log"),
		at:   place,
		stop: fastShutdown,
	}
	pidFile := filepath.Join(data, "postmaster.pid")
	p.ready = func(pid int) (bool, error) { return postmasterReady(pidFile, pid) }

	if err := p.prepare(ctx, data, options.Durable, fill); err != nil {
		return nil, errors.Join(err, place.close())
	}
	if err := p.begin(ctx); err != nil {
		return nil, errors.Join(err, place.close())
	}
	return p, nil
}

// prepare prepares the data directory for a start.
func (p *Postgres) prepare(ctx context.Context, data string, durable bool, fill fill) error {
	if err := p.stopLeftover(ctx); err != nil {
		return err
	}
	if err := p.initialize(ctx, data, durable, fill); err != nil {
		return err
	}
	// After a crash the file may contain the number of a process that is another program by now, so that PostgreSQL
	// would refuse to start. No server uses these data: this process holds the lock, and a leftover server has been
	// stopped.
	return os.RemoveAll(filepath.Join(data, "postmaster.pid"))
}

// initialize fills the data directory completely or not at all.
func (p *Postgres) initialize(ctx context.Context, data string, durable bool, fill fill) error {
	if _, err := os.Stat(data); err == nil {
		return nil
	}
	raw := data + ".new"
	if err := os.RemoveAll(raw); err != nil {
		return fmt.Errorf("remove an incomplete data directory: %w", err)
	}
	program, args := fill(raw, durable)
	if !filepath.IsAbs(program) {
		program = filepath.Join(p.BinDir(), program)
	}
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = "/"
	cmd.Env = environment()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: p.launch.as.credential()}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", program, err, out)
	}
	return os.Rename(raw, data)
}

func postgresArgs(data, socket string, options Options) []string {
	settings := map[string]string{
		"listen_addresses":        "",
		"unix_socket_directories": socket,
		"port":                    "5432",
		"max_connections":         "400",
		"timezone":                "UTC",
		"log_timezone":            "UTC",
	}
	if !options.Durable {
		maps.Copy(settings, map[string]string{
			"fsync":              "off",
			"synchronous_commit": "off",
			"full_page_writes":   "off",
			"wal_level":          "minimal",
			"max_wal_senders":    "0",
			"jit":                "off", // as in the connections of package store: it takes longer than the statements of tests
		})
	}
	maps.Copy(settings, options.Settings)
	args := []string{"-D", data}
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		args = append(args, "-c", name+"="+settings[name])
	}
	return args
}

// postmasterReady reads the server's status file: its process is on the first line, its state on the last.
func postmasterReady(file string, pid int) (bool, error) {
	raw, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read the server's state: %w", err)
	}
	lines := strings.Split(strings.TrimSpace(string(raw)), "\n")
	return lines[0] == strconv.Itoa(pid) && strings.TrimSpace(lines[len(lines)-1]) == "ready", nil
}

// URL returns the URL of a database for the superuser. The database "postgres" always exists. The URL doesn't change
// with restarts.
func (p *Postgres) URL(database string) string {
	return p.URLAs(superuser, database)
}

// URLAs returns the URL of a database for a role, which needs no password.
func (p *Postgres) URLAs(role, database string) string {
	query := url.Values{"host": {p.place.socket}, "port": {"5432"}, "user": {role}, "sslmode": {"disable"}}
	return "postgres:///" + url.PathEscape(database) + "?" + query.Encode()
}

// SocketDir returns the directory of the server's socket, for programs that accept it as a host, such as psql and
// pgbench. The port is 5432.
func (p *Postgres) SocketDir() string { return p.place.socket }

// DataDir returns the directory of the cluster (PGDATA).
func (p *Postgres) DataDir() string { return filepath.Join(p.place.dir, "data") }

// BinDir returns the directory of the server's programs, such as psql, pgbench and pg_ctl.
func (p *Postgres) BinDir() string { return filepath.Dir(p.launch.path) }
