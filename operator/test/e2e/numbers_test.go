//go:build e2e

package e2e_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

const (
	many     = 500
	converge = 60 * time.Second // after the last of that many Bots was created
	memory   = 56 << 20         // bytes of an idle operator, of which 28 MiB are its program
	idle     = time.Minute
)

// requests finds the API server's count of writes, by resource.
var requests = regexp.MustCompile(`(?m)^apiserver_request_total\{.*?group="([^"]*)".*?resource="([^"]*)".*?verb="(POST|PUT|PATCH|APPLY|DELETE)".*?\} (\S+)$`)

// writes counts what was asked of the API server to write, by all clients, of the kinds that the operator writes.
func writes(t testing.TB) map[string]float64 {
	t.Helper()
	found := map[string]float64{}
	for _, line := range requests.FindAllStringSubmatch(kubectl(t, "get", "--raw", "/metrics"), -1) {
		resource := line[2]
		if line[1] == "chatserver.dev" || resource == "events" || resource != "" && strings.Contains(","+kept+",", ","+resource+",") {
			n, err := strconv.ParseFloat(line[4], 64)
			if err != nil {
				t.Fatal(err)
			}
			found[resource] += n
		}
	}
	if len(found) < 5 {
		t.Fatalf("the API server counts only %v", found)
	}
	return found
}

// quiet waits for a while without writing anything, in which everything is compared with the servers at least twice.
func quiet(t *testing.T, guests int) {
	t.Helper()
	reconciles := func() float64 {
		return metric(t, operatorMetrics(t), "controller_runtime_reconcile_total", `controller="bot"`)
	}
	before, passes := writes(t), reconciles()
	time.Sleep(idle)
	for resource, n := range writes(t) {
		if n != before[resource] {
			t.Errorf("%v writes of %s while nothing happened", n-before[resource], resource)
		}
	}
	looked := reconciles() - passes
	if looked < float64(2*guests) {
		t.Errorf("only %v times was one of %d bots compared with its server", looked, guests)
	}
	resident := metric(t, operatorMetrics(t), "process_resident_memory_bytes")
	if resident > memory {
		t.Errorf("the operator has %.1f MiB", resident/(1<<20))
	}
	t.Logf("%d bots: idle for %s, no write, %v comparisons, %.1f MiB resident", guests, idle, looked, resident/(1<<20))
}

// TestNumbers has an operator idle, then 500 bots come, and idle again.
func TestNumbers(t *testing.T) {
	long(t)
	install(t)
	eventually(t, 3*time.Minute, func() error { // what tests before have left
		if left := field(t, "default", "namespaces", `.items[?(@.status.phase=="Terminating")].metadata.name`); left != "" {
			return fmt.Errorf("%s are still being deleted", left)
		}
		return nil
	})
	time.Sleep(5 * time.Second)
	quiet(t, len(list(t, chat, "bots")))

	const name = "crowd"
	namespace(t, name)
	var documents strings.Builder
	for i := range many {
		fmt.Fprintf(&documents, `---
apiVersion: chatserver.dev/v1alpha1
kind: Bot
metadata: {name: bot-%d}
spec:
  organizationRef: {name: %s, namespace: %s}
  fullName: Bot %[1]d
  adopt: true
  credentials: {secretName: bot-%[1]d}
`, i, server, chat)
	}
	began := time.Now()
	if _, err := run(documents.String(), "kubectl", "create", "-n", name, "-f", "-"); err != nil {
		t.Fatal(err)
	}
	created := time.Since(began)
	eventually(t, 3*converge, func() error {
		ready := strings.Count(field(t, name, "bots", `.items[*].status.conditions[?(@.type=="Ready")].status`), "True")
		if ready < many {
			return fmt.Errorf("%d bots are ready", ready)
		}
		return nil
	})
	took := time.Since(began)
	if late := took - created; late > converge {
		t.Errorf("%d bots took %s", many, late.Round(time.Second))
	}
	t.Logf("%d bots are ready %s after the first was created; creating them took %s", many, took.Round(time.Second), created.Round(time.Second))
	time.Sleep(5 * time.Second)
	quiet(t, many)
}
