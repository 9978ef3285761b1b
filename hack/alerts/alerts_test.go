// Package alerts_test has Prometheus evaluate the alerts of servers. It is a module of its own, so that nothing else is built with
// what Prometheus requires.
package alerts_test

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"sigs.k8s.io/yaml"
)

const (
	step = 15 * time.Second // between two scrapes, and between two evaluations
	span = 3 * time.Hour
)

// rule is an alert of a PrometheusRule.
type rule struct {
	Alert, Expr, For    string
	Labels, Annotations map[string]string
}

// rules returns the alerts of the ChatServer chat/big, from what the operator's tests compare its objects with.
func rules(t *testing.T) []rule {
	t.Helper()
	text, err := os.ReadFile("../../operator/internal/render/testdata/everything.golden.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for document := range strings.SplitSeq(string(text), "\n---\n") {
		var object struct {
			Kind string
			Spec struct{ Groups []struct{ Rules []rule } }
		}
		if err := yaml.Unmarshal([]byte(document), &object); err != nil {
			t.Fatal(err)
		}
		if object.Kind == "PrometheusRule" {
			return object.Spec.Groups[0].Rules
		}
	}
	t.Fatal("there is no PrometheusRule")
	return nil
}

// healthy are the series of a server without problems, in the notation of promtool: value+increment×count.
var healthy = []string{
	`up{namespace="chat",job="big-api",pod="api-1"} 1x720`,
	`up{namespace="chat",job="big-events",pod="events-1"} 1x720`,
	`up{namespace="chat",job="big-events",pod="events-2"} 1x720`,
	`up{namespace="chat",job="big-webhook",pod="webhook-1"} 1x720`,
	`up{namespace="other",job="big-webhook",pod="webhook-1"} 0x720`,
	`http_server_request_duration_seconds_count{namespace="chat",job="big-api",pod="api-1",http_route="GET /",http_response_status_code="200"} 0+100x720`,
	`http_server_request_duration_seconds_count{namespace="chat",job="big-api",pod="api-1",http_route="GET /",http_response_status_code="500"} 0+1x720`,
	`chatserver_log_lag_seconds{namespace="chat",job="big-events",pod="events-1",shard="1"} 0x720`,
	`chatserver_log_lag_seconds{namespace="chat",job="big-events",pod="events-2",shard="2"} 0 11 0x718`,
	`chatserver_database_oldest_transaction_age_seconds{namespace="chat",job="big-api",pod="api-1"} 0 9x2 0x717`,
	`chatserver_database_replica_lag_seconds{namespace="chat",job="big-api",pod="api-1"} 0.1x720`,
	`chatserver_database_connections_refused_total{namespace="chat",job="big-api",pod="api-1",db_client_connection_pool_name="service"} 0x100 12x619`, // for a moment
	`chatserver_wakeup_duration_seconds_bucket{namespace="chat",job="big-events",pod="events-1",le="1"} 0+20x720`,
	`chatserver_wakeup_duration_seconds_bucket{namespace="chat",job="big-events",pod="events-1",le="2.5"} 0+20x720`,
	`chatserver_wakeup_duration_seconds_bucket{namespace="chat",job="big-events",pod="events-1",le="+Inf"} 0+20x720`,
	`chatserver_operator_server_ready{server="chat/big",reason="Serving"} 1x720`,
	`chatserver_operator_server_ready{server="other/big",reason="CacheFailing"} 0x720`,
	`chatserver_operator_server_tls_ready{server="chat/big",reason="CertificateReady"} 1x720`,
	`chatserver_operator_server_tls_ready{server="other/big",reason="CertificateEndsSoon"} 1x720`,
}

// Each problem begins after an hour at the latest, and causes its alerts and no others. They end when the problem does, at the end of
// the second hour at the latest.
func TestProblems(t *testing.T) {
	t.Parallel()
	all := rules(t)
	caused := map[string]bool{}
	for name, problem := range map[string]struct {
		series []string // instead of the healthy ones of the same labels, or in addition
		alerts []string
	}{
		"none":          {},
		"a pod is gone": {series: []string{`up{namespace="chat",job="big-events",pod="events-1"} 1x240 _x479`}},
		"pods are replaced": {series: []string{
			`up{namespace="chat",job="big-webhook",pod="webhook-1"} 1x240 0x4 _x475`, `up{namespace="chat",job="big-webhook",pod="webhook-2"} _x244 0x2 1x473`,
		}},
		"a pod hangs": {
			series: []string{`up{namespace="chat",job="big-events",pod="events-1"} 1x240 0x40 1x438`},
			alerts: []string{`ChatServerPodDown{job="big-events", pod="events-1"}`},
		},
		"two services are down": {
			series: []string{
				`up{namespace="chat",job="big-api",pod="api-1"} 1x240 0x12 1x466`,
				`up{namespace="chat",job="big-webhook",pod="webhook-1"} 1x240 _x80 1x398`,
			},
			alerts: []string{`ChatServerDown{component="api"}`, `ChatServerDown{component="webhook"}`},
		},
		"requests fail": {
			series: []string{
				`http_server_request_duration_seconds_count{namespace="chat",job="big-api",pod="api-1",http_route="GET /",http_response_status_code="503"} _x240 0+100x80 8000x398`,
			},
			alerts: []string{`ChatServerErrors{job="big-api"}`},
		},
		"events wait": {
			series: []string{`chatserver_log_lag_seconds{namespace="chat",job="big-events",pod="events-2",shard="2"} 0x240 11x40 0x438`},
			alerts: []string{`ChatServerEventLogLag{}`},
		},
		"a transaction stays open": {
			series: []string{`chatserver_database_oldest_transaction_age_seconds{namespace="chat",job="big-api",pod="api-1"} 0x240 0+15x40 0x438`},
			alerts: []string{`ChatServerOldTransaction{}`},
		},
		"PostgreSQL has too many connections": {
			series: []string{
				`chatserver_database_connections_refused_total{namespace="chat",job="big-events",pod="events-1",db_client_connection_pool_name="everywhere"} 0x240 0+15x40 600x438`,
			},
			alerts: []string{`ChatServerConnectionsRefused{}`},
		},
		"the replica doesn't follow": {
			series: []string{`chatserver_database_replica_lag_seconds{namespace="chat",job="big-api",pod="api-1"} 0x240 0+15x40 0x438`},
			alerts: []string{`ChatServerReplicaLag{}`},
		},
		"polls are answered late": {
			series: []string{
				`chatserver_wakeup_duration_seconds_bucket{namespace="chat",job="big-events",pod="events-1",le="1"} 0+20x240 4800x80 4800+20x398`,
				`chatserver_wakeup_duration_seconds_bucket{namespace="chat",job="big-events",pod="events-1",le="2.5"} 0+20x240 4800x80 4800+20x398`,
			},
			alerts: []string{`ChatServerSlowWakeUps{}`},
		},
		"the first event that fails": {
			series: []string{`chatserver_events_undeliverable_total{namespace="chat",job="big-events",pod="events-1"} _x240 1x479`},
			alerts: []string{`ChatServerUndeliverableEvents{}`},
		},
		"another event that fails": {
			series: []string{`chatserver_events_undeliverable_total{namespace="chat",job="big-events",pod="events-1"} 0x240 1x479`},
			alerts: []string{`ChatServerUndeliverableEvents{}`},
		},
		"an event that fails, before Prometheus is down for a while": {
			series: []string{`chatserver_events_undeliverable_total{namespace="chat",job="big-events",pod="events-1"} 0x240 1x20 _x60 1x398`},
			alerts: []string{`ChatServerUndeliverableEvents{}`},
		},
		"an upgrade takes long": {series: []string{
			`chatserver_operator_server_ready{server="chat/big",reason="Serving"} 1x240 _x80 1x398`,
			`chatserver_operator_server_ready{server="chat/big",reason="MigrationRunning"} _x240 0x80 _x398`,
		}},
		"a certificate isn't renewed in time": {
			series: []string{
				`chatserver_operator_server_tls_ready{server="chat/big",reason="CertificateReady"} 1x240 _x80 1x398`,
				`chatserver_operator_server_tls_ready{server="chat/big",reason="CertificateEndsSoon"} _x240 1x80 _x398`,
			},
			alerts: []string{`ChatServerCertificateEndsSoon{}`},
		},
		"the server isn't ready, for several reasons": {
			series: []string{
				`chatserver_operator_server_ready{server="chat/big",reason="Serving"} 1x240 _x80 1x398`,
				`chatserver_operator_server_ready{server="chat/big",reason="DatabaseFailing"} _x240 0x30 _x448`,
				`chatserver_operator_server_ready{server="chat/big",reason="Unavailable"} _x271 0x48 _x399`,
			},
			alerts: []string{`ChatServerNotReady{}`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			world := newSeries(t, append(slices.Clone(problem.series), healthy...))
			var got []string
			for _, r := range all {
				for which, times := range firing(t, world, r) {
					got = append(got, which)
					if from, to := times[0], times[len(times)-1]; from < time.Hour || to > 2*time.Hour+5*time.Minute || to-from != step*time.Duration(len(times)-1) {
						t.Errorf("%s fires %d times, from %s to %s", which, len(times), from, to)
					}
				}
			}
			slices.Sort(got)
			if !slices.Equal(got, problem.alerts) {
				t.Errorf("got %q, want %q", got, problem.alerts)
			}
		})
		for _, a := range problem.alerts {
			name, _, _ := strings.Cut(a, "{")
			caused[name] = true
		}
	}
	for _, r := range all {
		if !caused[r.Alert] {
			t.Errorf("no problem causes %s", r.Alert)
		}
	}
}

// firing returns when a rule fires, for each set of labels without those that all alerts of the server have.
func firing(t *testing.T, world series, r rule) map[string][]time.Duration {
	t.Helper()
	during, err := model.ParseDuration(r.For)
	if err != nil {
		t.Fatal(err)
	}
	engine := promql.NewEngine(promql.EngineOpts{MaxSamples: 1e6, Timeout: time.Minute, Parser: parser.NewParser(parser.Options{})})
	query, err := engine.NewRangeQuery(t.Context(), world, nil, r.Expr, time.Unix(0, 0), time.Unix(0, 0).Add(span), step)
	if err != nil {
		t.Fatalf("%s: %v", r.Alert, err)
	}
	defer query.Close()
	matrix, err := query.Exec(t.Context()).Matrix()
	if err != nil {
		t.Fatalf("%s: %v", r.Alert, err)
	}
	result := map[string][]time.Duration{}
	for _, s := range matrix {
		all := s.Metric.Map()
		delete(all, model.MetricNameLabel)
		maps.Copy(all, r.Labels)
		if all["namespace"] != "chat" || all["chatserver"] != "big" || all["severity"] == "" {
			t.Errorf("%s has the labels %v", r.Alert, all)
		}
		maps.DeleteFunc(all, func(name, _ string) bool {
			return slices.Contains([]string{"namespace", "chatserver", "severity"}, name)
		})
		which := r.Alert + labels.FromMap(all).String()
		var since, before time.Duration
		for _, point := range s.Floats {
			now := time.Duration(point.T) * time.Millisecond
			if now != before+step {
				since = now
			}
			if before = now; now-since >= time.Duration(during) {
				result[which] = append(result[which], now)
			}
		}
	}
	return result
}
