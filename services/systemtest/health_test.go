package systemtest_test

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"chatserver.dev/pkg/testbed"
)

// TestServersGone tests the health checks of a process whose servers are dead or hang: it is alive but not ready, names
// the missing server, and becomes ready again without a restart.
func TestServersGone(t *testing.T) {
	t.Parallel()
	servers := StartServers(t)
	p := servers.Start(t, "api")
	get := func(path string) (status int, body string) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.URL()+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		raw, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response.StatusCode, string(raw)
	}
	failsWith := func(want string) {
		t.Helper()
		testbed.Until(t, "it fails with "+want, func() bool {
			status, body := get("/readyz")
			return status == http.StatusServiceUnavailable && body == want
		})
		for range 4 { // over several times of asking; a busy machine may be too slow for the other server, too
			status, body := get("/readyz")
			for name := range strings.SplitSeq(strings.TrimSpace(want), "; ") {
				if status != http.StatusServiceUnavailable || !strings.Contains(body, name) {
					t.Errorf("%d %s", status, body)
				}
			}
			if status, body := get("/healthz"); status != http.StatusOK || body != "ok\n" {
				t.Errorf("alive: %d %s", status, body)
			}
			time.Sleep(700 * time.Millisecond)
		}
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	back := func() {
		t.Helper()
		must(p.WaitReady(startTime))
	}
	must(syscall.Kill(servers.Redis.PID(), syscall.SIGSTOP))
	failsWith("redis is not ready\n")
	must(syscall.Kill(servers.Redis.PID(), syscall.SIGCONT))
	back()
	must(servers.Postgres.Kill())
	failsWith("database is not ready\n")
	must(servers.Redis.Kill())
	failsWith("database is not ready; redis is not ready\n")
	must(servers.Postgres.Restart(t.Context()))
	must(servers.Redis.Restart(t.Context()))
	back()
	// changes are the lines about readiness: which servers each of them names.
	changes := func(log string) (lines [][2]bool) {
		for line := range strings.Lines(log) {
			if strings.Contains(line, `msg="not ready"`) || strings.Contains(line, `msg="ready again"`) {
				lines = append(lines, [2]bool{strings.Contains(line, " database="), strings.Contains(line, " redis=")})
			}
		}
		return lines
	}
	lines := changes(p.LogWhen(func(log string) bool { return len(changes(log)) >= 5 }))
	if changed := slices.Compact(slices.Clone(lines)); len(lines) < 5 || len(changed) != len(lines) {
		t.Errorf("%d lines about readiness, of which %d are changes:\n%s", len(lines), len(changed), p.Log())
	}
}
