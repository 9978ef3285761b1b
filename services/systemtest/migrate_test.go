package systemtest_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"chatserver.dev/pkg/localserver"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
)

// TestMigrateJob tests the steps of a Job before a rollout: checking, migrating, and reporting the result.
func TestMigrateJob(t *testing.T) {
	t.Parallel()
	postgres, err := localserver.StartPostgres(context.WithoutCancel(t.Context()), localserver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = postgres.Stop() })
	redis, err := localserver.StartRedis(context.WithoutCancel(t.Context()), localserver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = redis.Stop() })
	report := filepath.Join(t.TempDir(), "termination-log")
	job := func(command string, env ...string) *Process {
		// The file exists before, and is longer than the report.
		if err := os.WriteFile(report, []byte(strings.Repeat("old ", 200)), 0o600); err != nil {
			t.Fatal(err)
		}
		p := NewProcess(t, "api", append([]string{"DATABASE_URL=" + postgres.URL("postgres"), "REDIS_URL=" + redis.URL()}, env...)...)
		p.Launch(command, "-report", report)
		return p
	}
	reported := func() string {
		text, err := os.ReadFile(report)
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSuffix(string(text), "\n")
	}
	works := func(command, want string, env ...string) (log string) {
		t.Helper()
		p := job(command, env...)
		if err := p.Wait(); err != nil || reported() != want || !strings.Contains(p.Log(), want) {
			t.Errorf("%s: %v, reported %q, printed %q; want %s", command, err, reported(), p.Log(), want)
		}
		return p.Log()
	}
	migrations, err := filepath.Glob("../../pkg/store/migration/*.sql")
	if err != nil || len(migrations) == 0 {
		t.Fatal(migrations, err)
	}
	schema := fmt.Sprintf(`{"schema":%d,"min_server_version":"0.1.0"`, len(migrations))
	works("check", `{"schema":0,"min_server_version":""}`)
	steps := works("migrate", schema+`}`)
	for _, migration := range migrations {
		if !strings.Contains(steps, filepath.Base(migration)) {
			t.Errorf("%s isn't in the log:\n%s", migration, steps)
		}
	}
	works("check", schema+`}`)
	works("migrate", schema+`}`)

	logins := []string{"DATABASE_SERVICE_USER=one", "DATABASE_EVERYWHERE_USER=two"}
	works("check", schema+`}`, logins...)
	works("migrate", schema+`,"logins":["one","two"]}`, logins...)
	works("migrate", schema+`}`, "DATABASE_FORMER_USERS=one,two,nobody")

	fails := func(command, want string, env ...string) {
		t.Helper()
		p := job(command, env...)
		err := p.Wait()
		if got := reported(); err == nil || !strings.Contains(got, want) || !strings.Contains(p.Log(), "api: "+got) {
			t.Errorf("%s: %v, reported %q, printed %q; want %s", command, err, got, p.Log(), want)
		}
	}
	fails("check", `LOG_LEVEL: "loud" is not debug, info, warn or error`, "LOG_LEVEL=loud")
	fails("check", "Redis at 127.0.0.1:1 can't be reached", "REDIS_URL=redis://127.0.0.1:1")
	fails("migrate", "PostgreSQL at 127.0.0.1:1 can't be reached", "DATABASE_URL=postgres://127.0.0.1:1/chat")
	fails("migrate", "DATABASE_URL is missing", "DATABASE_URL=")

	// At the Job's deadline, the program gets SIGTERM, here while it waits for another migration.
	session := storetest.Connect(t, postgres.URL("postgres"))
	session.Exec("create database late")
	blocker := storetest.Connect(t, postgres.URL("late"))
	blocker.Exec("begin")
	blocker.Exec("create table organizations ()")
	p := job("migrate", "DATABASE_URL="+postgres.URL("late"))
	testbed.Until(t, "it waits", func() bool {
		return storetest.Values[bool](session, "select exists (select from pg_stat_activity where datname = 'late' and wait_event_type = 'Lock')")[0]
	})
	p.Signal(syscall.SIGTERM)
	if err := p.Wait(); err == nil || !strings.Contains(reported(), "the migration was interrupted") {
		t.Errorf("%v, reported %q", err, reported())
	}
	blocker.Exec("rollback")
	if schema, err := store.ReadSchema(t.Context(), postgres.URL("late")); err != nil || schema.Has != 0 {
		t.Errorf("%+v, %v", schema, err)
	}
}
