//go:build e2e

package e2e_test

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"
)

// resync is more than the operator's time between two comparisons of everything with the servers.
const resync = 30 * time.Second

// kept are the kinds that the operator writes.
const kept = "chatservers,organizations,streams,users,bots,incomingwebhooks,deployments,statefulsets,services,serviceaccounts,secrets,networkpolicies,poddisruptionbudgets,jobs"

// TestOperatorRestartChangesNothing has another operator pod come, look at everything, and write nothing.
func TestOperatorRestartChangesNothing(t *testing.T) {
	long(t)
	install(t)
	streamAndBots(t, "hello", 2)
	servers, written := pods(t, chat), versions(t, kept)
	before := pods(t, system)
	for name := range before {
		kubectl(t, "delete", "pod", "-n", system, name)
	}
	kubectl(t, "rollout", "status", "-n", system, "deployment/"+deploy, "--timeout=1m")
	if after := pods(t, system); maps.Equal(before, after) {
		t.Fatal("the operator wasn't restarted")
	}
	looked(t, resync)
	if got := pods(t, chat); !maps.Equal(got, servers) {
		t.Errorf("pods were %v and are %v", servers, got)
	}
	for name, now := range versions(t, kept) {
		if was := written[name]; was != now {
			t.Errorf("%s was written: it was %s and is %s", name, was, now)
		}
	}
}

// looked waits some time, and checks that the operator has looked at things meanwhile.
func looked(t *testing.T, d time.Duration) {
	t.Helper()
	time.Sleep(d)
	for _, controller := range []string{"chatserver", "organization", "stream", "bot"} {
		if n := metric(t, operatorMetrics(t), "controller_runtime_reconcile_total", `controller="`+controller+`"`); n == 0 {
			t.Errorf("the controller %s hasn't done anything", controller)
		}
	}
}

// TestHandover has a second operator take over.
func TestHandover(t *testing.T) {
	long(t)
	install(t)
	helm(t, "upgrade", "operator", "charts/chatserver-operator", "-n", system, "--reuse-values", "--set", "replicas=2", "--wait", "--timeout=1m")
	t.Cleanup(func() { installOperator(t) })
	leader := func() string { return field(t, system, "lease/"+deploy, ".spec.holderIdentity") }
	first, holder := "", ""
	eventually(t, 30*time.Second, func() error { // the previous one has just released it
		first = leader()
		for name := range pods(t, system) {
			if strings.HasPrefix(first, name+"_") {
				holder = name
				return nil
			}
		}
		return fmt.Errorf("no pod holds the lease, but %q", first)
	})
	began := time.Now()
	kubectl(t, "delete", "pod", "-n", system, holder, "--wait=false")
	eventually(t, 30*time.Second, func() error {
		if now := leader(); now == first || now == "" {
			return fmt.Errorf("the lease is with %q", now)
		}
		return nil
	})
	t.Logf("handed over after %s", time.Since(began).Round(time.Second))
	kubectl(t, "delete", "service", "-n", chat, server+"-webhook")
	eventually(t, 30*time.Second, func() error {
		if gone("service/"+server+"-webhook", "-n", chat)() == nil {
			return errors.New("the Service isn't back")
		}
		return nil
	})
	ready(t, chat, "chatserver/"+server)
}
