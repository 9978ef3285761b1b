package render_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"chatserver.dev/operator/internal/render"
)

type rule struct {
	Alert, Expr, For    string
	Labels, Annotations map[string]string
}

func rules(t testing.TB, name string) []rule {
	t.Helper()
	server := load(t, name)
	object := found(t, render.Monitoring(server, inputsOf(server)), "PrometheusRule", server.Name)
	if object == nil {
		return nil
	}
	type group struct {
		Name  string
		Rules []rule
	}
	return into[[]group](t, at(t, object, "spec", "groups"))[0].Rules
}

// Alerts use existing metrics, describe the problem, and name the page with a remedy. It is published nowhere, so there is no link.
func TestAlerts(t *testing.T) {
	t.Parallel()
	// The metrics of Prometheus itself, pkg/boot, services/program and the operator. Tests there check these names.
	measured := map[string]bool{
		"up": true, "http_server_request_duration_seconds_count": true, "chatserver_log_lag_seconds": true,
		"chatserver_wakeup_duration_seconds_bucket": true, "chatserver_database_oldest_transaction_age_seconds": true,
		"chatserver_events_undeliverable_total": true, "chatserver_database_replica_lag_seconds": true, "chatserver_operator_server_ready": true,
		"chatserver_operator_server_tls_ready": true, "chatserver_database_connections_refused_total": true,
	}
	page, err := os.ReadFile("../../../docs/kubernetes/alerts.md")
	if err != nil {
		t.Fatal(err)
	}
	metric := regexp.MustCompile(`([a-z_]+)\{([^}]*)\}`)
	all := rules(t, "everything")
	if len(all) < 7 {
		t.Fatalf("there are %d alerts", len(all))
	}
	identities := map[string]bool{}
	for _, r := range all {
		identity := fmt.Sprint(r.Alert, r.Labels)
		if identities[identity] || r.Labels["namespace"] != "chat" || r.Labels["chatserver"] != "big" {
			t.Errorf("Alertmanager can't distinguish %s", identity)
		}
		identities[identity] = true
		selectors := metric.FindAllStringSubmatch(r.Expr, -1)
		if len(selectors) == 0 || strings.Count(r.Expr, "(") != strings.Count(r.Expr, ")") {
			t.Errorf("%s: %s", r.Alert, r.Expr)
		}
		for _, s := range selectors {
			own := strings.Contains(s[2], `namespace="chat"`) && strings.Contains(s[2], "big-") || strings.Contains(s[2], `server="chat/big"`)
			if !measured[s[1]] || !own {
				t.Errorf("%s asks for %s", r.Alert, s[0])
			}
		}
		if !strings.Contains(r.Annotations["description"], " docs/kubernetes/alerts.md ") || !strings.Contains(string(page), "\n## "+r.Alert+"\n") {
			t.Errorf("%s names no page: %s", r.Alert, r.Annotations["description"])
		}
		if link := r.Annotations["runbook_url"]; link != "" {
			t.Errorf("%s links to %s", r.Alert, link)
		}
		if r.For == "" || r.Labels["severity"] == "" || !strings.Contains(r.Annotations["summary"], "chat/big") {
			t.Errorf("%+v", r)
		}
	}
}

// Components that are stopped on purpose raise no alert.
func TestAlertsOfWhatSleeps(t *testing.T) {
	t.Parallel()
	if rules := rules(t, "hibernated"); rules != nil {
		t.Errorf("%v", rules)
	}
	for _, r := range rules(t, "autoscaled") {
		if r.Alert == "ChatServerDown" && strings.Contains(r.Expr, "main-webhook") {
			t.Errorf("%s", r.Expr)
		}
	}
}

// Each service is scraped once, although the Service of the admin interface selects pods that another Service also
// selects.
func TestServiceMonitor(t *testing.T) {
	t.Parallel()
	server := load(t, "everything")
	objects := all(t, server, inputsOf(server))
	monitor := found(t, objects, "ServiceMonitor", "big")
	wanted := into[[]struct {
		Key, Operator string
		Values        []string
	}](t, at(t, monitor, "spec", "selector", "matchExpressions"))[0]
	for service, scraped := range map[string]bool{"big-api": true, "big-events": true, "big-webhook": true, "big-admin": false} {
		label := at(t, found(t, objects, "Service", service), "metadata", "labels").(map[string]any)[wanted.Key]
		got := false
		for _, value := range wanted.Values {
			got = got || value == label
		}
		if got != scraped {
			t.Errorf("%s is scraped: %t", service, got)
		}
	}
	server.Spec.Monitoring.Labels = map[string]string{"app.kubernetes.io/name": "mine", "release": "x"}
	labels := at(t, found(t, render.Monitoring(server, inputsOf(server)), "ServiceMonitor", "big"), "metadata", "labels").(map[string]any)
	if labels["release"] != "x" || labels["app.kubernetes.io/name"] != "chatserver" {
		t.Errorf("%v", labels)
	}
}
