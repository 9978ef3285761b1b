//go:build e2e

package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestBotKeyRotationUnderTraffic replaces the keys that pollers and the sender use, which they don't notice.
func TestBotKeyRotationUnderTraffic(t *testing.T) {
	long(t)
	install(t)
	c := begin(t, 100)
	api, old := address(t, chat, server+"-api"), accountIn(t, chat, "traffic-0")
	for _, kind := range []string{"bot traffic-0", "bot traffic-1", "webhook traffic-hook"} {
		kubectl(t, append([]string{"chat", "rotate", "-n", chat}, strings.Fields(kind)...)...)
	}
	renewed := accountIn(t, chat, "traffic-0")
	if renewed.key == old.key {
		t.Error("the Secret has the key that it had")
	}
	for _, a := range []account{old, renewed} { // the grace period is a day
		if got := statusFor(t, api, a); got != http.StatusOK {
			t.Errorf("a key got %d", got)
		}
	}
	c.end("keys of two bots and the webhook rotated")
}

// TestLoginsAreReplacedUnderTraffic replaces the roles that services log in to PostgreSQL as, which nobody notices, and
// looks that nobody else is logged in.
func TestLoginsAreReplacedUnderTraffic(t *testing.T) {
	long(t)
	install(t)
	users := func() string {
		return strings.TrimSpace(kubectl(t, "exec", "-n", chat, server+"-postgres-0", "--", "psql", "--username=chatserver", "--dbname=chatserver", "-tAc",
			"select string_agg(distinct usename, ' ' order by usename) from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()"))
	}
	used := func() string {
		made := strings.Fields(strings.NewReplacer("[", " ", "]", " ", ",", " ", `"`, " ").Replace(field(t, chat, "chatserver/"+server, ".status.databaseLogins.users")))
		slices.Sort(made)
		return strings.Join(made, " ")
	}
	alone := func() error {
		if got, want := users(), used(); got != want || strings.Count(want, server+"_") != 2 {
			return fmt.Errorf("logged in are %s, the status has %s", got, want)
		}
		return nil
	}
	if schema := field(t, chat, "chatserver/"+server, ".status.schema.serverVersion"); schema != field(t, chat, "chatserver/"+server, ".spec.version") { // logins aren't replaced after a rollback
		patch(t, chat, "chatserver/"+server, `{"spec":{"version":"`+schema+`"}}`)
		serves(t, schema)
	}
	eventually(t, time.Minute, alone)
	before := used()
	c := begin(t, 50)
	kubectl(t, "chat", "rotate", "-n", chat, "logins", server, "--timeout=5m")
	c.end("logins replaced")
	if used() == before {
		t.Errorf("they still are %s", before)
	}
	eventually(t, time.Minute, alone)
}

// TestGraceEnds replaces a key whose grace period is short.
func TestGraceEnds(t *testing.T) {
	long(t)
	install(t)
	t.Parallel()
	namespace(t, "grace")
	apply(t, "grace", guests(server, chat))
	ready(t, "grace", "stream/news", "bot/crier")
	api, old := address(t, chat, server+"-api"), accountIn(t, "grace", "crier")
	kubectl(t, "chat", "rotate", "-n", "grace", "bot", "crier")
	if got := statusFor(t, api, old); got != http.StatusOK {
		t.Errorf("in its grace the key got %d", got)
	}
	eventually(t, time.Minute, func() error {
		if got := statusFor(t, api, old); got != http.StatusUnauthorized {
			return fmt.Errorf("the key got %d", got)
		}
		return nil
	})
	if got := statusFor(t, api, accountIn(t, "grace", "crier")); got != http.StatusOK {
		t.Errorf("the new key got %d", got)
	}
}

// TestAdminTokenRotation replaces the operator's own token and the certificate that it knows the server by, and has the
// operator work all the time.
func TestAdminTokenRotation(t *testing.T) {
	long(t)
	install(t)
	t.Parallel()
	namespace(t, "admin-token")
	certificate := secret(t, chat, server+"-admin", "tls.crt")
	tokens := func() []string { return strings.Fields(secret(t, chat, server+"-admin", "tokens")) }
	old, servers := tokens()[0], pods(t, chat, "-l", "app.kubernetes.io/name=chatserver")
	kubectl(t, "chat", "rotate", "-n", chat, "server", server, "--wait=false")
	n := 0
	works := func() { // something new is made inside of the server
		n++
		apply(t, "admin-token", fmt.Sprintf(`
apiVersion: chatserver.dev/v1alpha1
kind: Stream
metadata: {name: stream-%[1]d}
spec: {organizationRef: {name: %[2]s, namespace: %[3]s}, name: token %[1]d, adopt: true}
`, n, server, chat))
		ready(t, "admin-token", fmt.Sprintf("stream/stream-%d", n))
	}
	eventually(t, 5*time.Minute, func() error {
		works()
		now := tokens()
		if len(now) != 2 || now[1] != old {
			time.Sleep(5 * time.Second)
			return errors.New("the new token isn't the first")
		}
		return nil
	})
	works()
	for _, token := range tokens() {
		if _, err := adminOf(t, token).Status(context.Background()); err != nil {
			t.Errorf("a token in its time: %v", err)
		}
	}
	if now := secret(t, chat, server+"-admin", "tls.crt"); now == certificate {
		t.Error("the certificate is the one before")
	} else if trusted := secret(t, chat, server+"-admin", "ca.crt"); trusted != now {
		t.Errorf("callers trust more than the new certificate: %s", trusted)
	}
	for name, uid := range pods(t, chat, "-l", "app.kubernetes.io/name=chatserver") {
		if was, there := servers[name]; there && was != uid {
			t.Errorf("pod %s was replaced", name)
		}
	}
	t.Logf("%d streams were made meanwhile", n)
}
