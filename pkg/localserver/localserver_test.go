package localserver_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/redis/go-redis/v9"

	"chatserver.dev/pkg/localserver"
)

func startPostgres(t *testing.T, options localserver.Options) *localserver.Postgres {
	t.Helper()
	p, err := localserver.StartPostgres(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	})
	return p
}

func startRedis(t *testing.T, options localserver.Options) *localserver.Redis {
	t.Helper()
	r, err := localserver.StartRedis(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Stop(); err != nil {
			t.Error(err)
		}
	})
	return r
}

func exec1(t *testing.T, url, sql string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), sql); err != nil {
		t.Fatal(err)
	}
}

func query1(t *testing.T, url, sql string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	var got string
	if err := conn.QueryRow(t.Context(), sql).Scan(&got); err != nil {
		t.Fatal(err)
	}
	return got
}

// Variables for clients of other servers change neither the server nor its address.
func TestVariablesOfClients(t *testing.T) {
	t.Setenv("PGPORT", "5433")
	t.Setenv("PGCLIENTENCODING", "nonsense")
	p := startPostgres(t, localserver.Options{})
	t.Setenv("PGCLIENTENCODING", "UTF8") // clients read it
	if got := query1(t, p.URL("postgres"), "show port"); got != "5432" {
		t.Errorf("the port is %s", got)
	}
}

func redisClient(t *testing.T, url string) *redis.Client {
	t.Helper()
	options, err := redis.ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	client := redis.NewClient(options)
	t.Cleanup(func() { client.Close() })
	return client
}

func alive(pid int) bool { return syscall.Kill(pid, 0) == nil }

func absent(t *testing.T, path string) {
	t.Helper()
	for range 500 {
		if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%s was not removed", path)
}

func TestPostgresTemporary(t *testing.T) {
	t.Parallel()
	p := startPostgres(t, localserver.Options{})
	url := p.URL("postgres")
	for sql, want := range map[string]string{
		"select current_user::text": "postgres",
		"show fsync":                "off",
		"show listen_addresses":     "",
		"show server_encoding":      "UTF8",
		"select lower('ÀÉÎ Ж')":     "àéî ж",
		"select string_agg(x, '' order by x) from unnest('{b,B,a}'::text[]) x": "Bab",
	} {
		if got := query1(t, url, sql); got != want {
			t.Errorf("%s: got %q, want %q", sql, got, want)
		}
	}
	exec1(t, url, "create role plain login")
	if got := query1(t, p.URLAs("plain", "postgres"), "select current_user::text"); got != "plain" {
		t.Errorf("as plain: got %q", got)
	}
	info, err := os.Stat(p.SocketDir())
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o700 {
		t.Errorf("others may enter the socket's directory: %v", info.Mode())
	}
	pid := p.PID()
	if err := p.Stop(); err != nil {
		t.Fatal(err)
	}
	if alive(pid) {
		t.Error("process exists after Stop")
	}
	absent(t, p.SocketDir())
	absent(t, p.DataDir())
	if err := p.Restart(t.Context()); err == nil {
		t.Error("restart after Stop: no error")
	}
}

func TestPostgresKillAndRestart(t *testing.T) {
	t.Parallel()
	p := startPostgres(t, localserver.Options{Durable: true, Settings: map[string]string{"max_connections": "17"}})
	url := p.URL("postgres")
	if got := query1(t, url, "show fsync"); got != "on" {
		t.Errorf("fsync is %q", got)
	}
	if got := query1(t, url, "show max_connections"); got != "17" {
		t.Errorf("max_connections is %q", got)
	}
	exec1(t, url, "create table kept (x int); insert into kept values (42)")
	for _, name := range []string{"running", "killed", "running"} {
		pid := p.PID()
		if name == "killed" {
			if err := p.Kill(); err != nil {
				t.Fatal(err)
			}
			select {
			case <-p.Done():
			default:
				t.Error("Done is open after Kill")
			}
		}
		if err := p.Restart(t.Context()); err != nil {
			t.Fatal(err)
		}
		if p.PID() == pid {
			t.Errorf("%s: same process after Restart", name)
		}
		if got := query1(t, url, "select x::text from kept"); got != "42" {
			t.Errorf("%s: got %q", name, got)
		}
	}
}

// Copies of a server begin with its data, and don't see each other's changes.
func TestPostgresCopy(t *testing.T) {
	t.Parallel()
	of := startPostgres(t, localserver.Options{})
	exec1(t, of.URL("postgres"), "create table kept (x int); insert into kept values (42)")
	if err := of.Halt(); err != nil {
		t.Fatal(err)
	}
	for _, options := range []localserver.Options{{}, {Durable: true}} {
		p, err := localserver.StartCopy(t.Context(), of, options)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = p.Stop() })
		if got := query1(t, p.URL("postgres"), "select string_agg(x::text, ' ') from kept"); got != "42" {
			t.Errorf("a copy has %q", got)
		}
		exec1(t, p.URL("postgres"), "insert into kept values (43)")
	}
	if err := of.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := query1(t, of.URL("postgres"), "select string_agg(x::text, ' ') from kept"); got != "42" {
		t.Errorf("it has %q after that", got)
	}
}

func TestRedisKillAndRestart(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		durable bool
		want    int64
	}{{"durable", true, 1}, {"temporary", false, 0}} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := startRedis(t, localserver.Options{Durable: test.durable})
			client := redisClient(t, r.URL())
			if err := client.Set(t.Context(), "key", "value", 0).Err(); err != nil {
				t.Fatal(err)
			}
			if err := r.Restart(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got, err := client.Exists(t.Context(), "key").Result(); err != nil || got != test.want {
				t.Errorf("after a restart: got %d, %v, want %d", got, err, test.want)
			}
			if err := r.Kill(); err != nil {
				t.Fatal(err)
			}
			if err := client.Ping(t.Context()).Err(); err == nil {
				t.Error("answers after Kill")
			}
			if err := r.Restart(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := client.Ping(t.Context()).Err(); err != nil {
				t.Errorf("after Kill and Restart: %v", err)
			}
		})
	}
}

func TestContextEndsServers(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	p, err := localserver.StartPostgres(ctx, localserver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := localserver.StartRedis(ctx, localserver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	<-p.Done()
	<-r.Done()
	absent(t, p.SocketDir())
	absent(t, r.DataDir())
}

func TestTwoOwnersAreRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	startRedis(t, localserver.Options{Dir: dir})
	if r, err := localserver.StartRedis(t.Context(), localserver.Options{Dir: dir}); err == nil {
		r.Stop()
		t.Error("two owners of one directory")
	}
}

// TestForgottenServer starts a server without keeping a reference. It runs until the process ends.
func TestForgottenServer(t *testing.T) {
	t.Parallel()
	url := func() string {
		r, err := localserver.StartRedis(context.WithoutCancel(t.Context()), localserver.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return r.URL()
	}()
	for range 3 {
		runtime.GC()
		time.Sleep(10 * time.Millisecond)
	}
	if err := redisClient(t, url).Ping(t.Context()).Err(); err != nil {
		t.Error(err)
	}
}

// TestUnreachableDirectory uses a data directory that PostgreSQL's account has no access to when root runs this test.
// In that case the data are in another place, and the directory is a link.
func TestUnreachableDirectory(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	if err := os.Chmod(parent, 0o700); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(parent, "deep", "postgres")
	for _, sql := range []string{"create table kept (x int)", "insert into kept values (42)"} {
		p, err := localserver.StartPostgres(t.Context(), localserver.Options{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.RemoveAll(filepath.Dir(p.DataDir())) })
		exec1(t, p.URL("postgres"), sql)
		if err := p.Stop(); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(dir, "data", "PG_VERSION")); err != nil {
			t.Error(err)
		}
	}
}

func TestNothingInstalled(t *testing.T) {
	t.Parallel()
	for name, check := range map[string]func(context.Context) error{
		"postgres": localserver.CheckPostgres, "redis": localserver.CheckRedis,
	} {
		if err := check(t.Context()); err != nil {
			t.Errorf("%s runs in these tests, but: %v", name, err)
		}
		// A program whose version can't be determined doesn't count.
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := check(ctx); !errors.Is(err, localserver.ErrMissing) {
			t.Errorf("%s: got %v, want ErrMissing", name, err)
		}
	}
}
