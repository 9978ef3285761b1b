package render

import (
	"fmt"
	"maps"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/inputs"
)

// remedy ends the description of each alert. There is no runbook_url, since the page is published nowhere.
const remedy = " The page docs/kubernetes/alerts.md of the source says what to do."

// Monitoring renders the configuration of Prometheus, without kinds that the cluster doesn't serve.
func Monitoring(server *v1alpha1.ChatServer, in inputs.Inputs) []Object {
	var objects []Object
	if server.Spec.Monitoring.ServiceMonitor && in.Served[inputs.ServiceMonitor()] {
		objects = append(objects, serviceMonitor(server))
	}
	// The alerts would fire for a hibernated server.
	if server.Spec.Monitoring.Rules && in.Served[inputs.PrometheusRule()] && !hibernated(server) {
		objects = append(objects, prometheusRule(server))
	}
	return objects
}

func serviceMonitor(server *v1alpha1.ChatServer) Object {
	var components []any
	for _, component := range Components() {
		components = append(components, string(component))
	}
	return withMonitoringLabels(server, foreign("monitoring.coreos.com/v1", "ServiceMonitor", server, server.Name, map[string]any{
		"selector": map[string]any{
			"matchLabels":      map[string]any{v1alpha1.LabelName: v1alpha1.Product, v1alpha1.LabelInstance: server.Name},
			"matchExpressions": []any{map[string]any{"key": v1alpha1.LabelComponent, "operator": "In", "values": components}},
		},
		"endpoints": []any{map[string]any{"targetPort": nameMetrics, "path": "/metrics"}},
	}))
}

// withMonitoringLabels adds the labels that Prometheus selects. They can't replace the operator's own.
func withMonitoringLabels(server *v1alpha1.ChatServer, object *unstructured.Unstructured) Object {
	all := maps.Clone(server.Spec.Monitoring.Labels)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, serverLabels(server))
	object.SetLabels(all)
	return client.ApplyConfigurationFromUnstructured(object)
}

// alert is an alerting rule of Prometheus.
type alert struct {
	name, expression, during, severity, summary, description string
}

// rule returns the rule in the form of the Prometheus operator. Its labels, with those in addition, are of no other alert: Alertmanager
// takes alerts with the same labels for one, which ends when the first of them does, and most expressions have no labels.
func (a alert) rule(server *v1alpha1.ChatServer, addition map[string]any) map[string]any {
	labels := map[string]any{"severity": a.severity, "namespace": server.Namespace, "chatserver": server.Name}
	maps.Copy(labels, addition)
	return map[string]any{
		"alert": a.name, "expr": a.expression, "for": a.during, "labels": labels,
		"annotations": map[string]any{"summary": a.summary, "description": a.description + remedy},
	}
}

func prometheusRule(server *v1alpha1.ChatServer) Object {
	var rules []any
	for _, component := range Components() {
		if fewest(server, component) > 0 { // the spec requests pods
			rules = append(rules, down(server, component).rule(server, map[string]any{"component": string(component)}))
		}
	}
	for _, a := range alerts(server) {
		rules = append(rules, a.rule(server, nil))
	}
	return withMonitoringLabels(server, foreign("monitoring.coreos.com/v1", "PrometheusRule", server, server.Name, map[string]any{
		"groups": []any{map[string]any{"name": fmt.Sprintf("chatserver-%s-%s", server.Namespace, server.Name), "rules": rules}},
	}))
}

// down returns the alert that a component has no pods that respond.
func down(server *v1alpha1.ChatServer, component Component) alert {
	return alert{
		"ChatServerDown", fmt.Sprintf(`absent(up{%s} == 1)`, series(server, component)), "2m", "critical",
		fmt.Sprintf("No pod of %s of ChatServer %s responds", component, namespaced(server)),
		"Prometheus has reached no pod for two minutes: the service is down.",
	}
}

// alerts returns the other alerts of a server.
func alerts(server *v1alpha1.ChatServer) []alert {
	which := namespaced(server)
	var result []alert
	if external := server.Spec.Database.External; external != nil && external.ReplicaSecretRef != nil {
		result = append(result, alert{
			"ChatServerReplicaLag", fmt.Sprintf(`max(chatserver_database_replica_lag_seconds{%s}) > 10`, series(server, API)), "5m", "warning",
			fmt.Sprintf("The replica of ChatServer %s's database is {{ $value | humanizeDuration }} behind", which),
			"The replica of PostgreSQL lags or doesn't respond. The primary handles its queries meanwhile, and users see current data.",
		})
	}
	all := series(server, Components()...)
	return append(result, alert{
		// The operator exports it. Upgrades may take long, and a paused server is somebody's business.
		"ChatServerNotReady", fmt.Sprintf(`min(chatserver_operator_server_ready{server="%s",reason!~"%s|%s|%s"}) == 0`, which,
			v1alpha1.ReasonMigrationRunning, v1alpha1.ReasonRolloutRunning, v1alpha1.ReasonPaused), "10m", "warning",
		fmt.Sprintf("ChatServer %s isn't ready", which),
		"The condition Ready has been false for ten minutes, and says why: a disk is full, for example, or an upgrade has failed.",
	}, alert{
		"ChatServerCertificateEndsSoon", fmt.Sprintf(`count(chatserver_operator_server_tls_ready{server="%s",reason="%s"}) > 0`, which,
			v1alpha1.ReasonCertificateEndsSoon), "10m", "warning",
		fmt.Sprintf("A certificate of ChatServer %s expires soon", which),
		"The condition TLSReady names the Secret. Once the certificate has expired, connections that need it fail.",
	}, alert{
		"ChatServerPodDown", fmt.Sprintf(`up{%s} == 0`, all), "5m", "warning",
		fmt.Sprintf("Pod {{ $labels.pod }} of ChatServer %s doesn't respond", which),
		"Prometheus hasn't reached the pod for five minutes. Other pods of the service take over, if there are any.",
	}, alert{
		"ChatServerErrors", fmt.Sprintf(`sum by (job) (rate(http_server_request_duration_seconds_count{%s,http_response_status_code=~"5.."}[5m]))`+
			` / sum by (job) (rate(http_server_request_duration_seconds_count{%s}[5m])) > 0.05`, all, all), "5m", "critical",
		fmt.Sprintf("{{ $labels.job }} of ChatServer %s fails {{ $value | humanizePercentage }} of requests", which),
		"More than one request in twenty has been answered with a status of 500 or above for five minutes.",
	}, alert{
		"ChatServerEventLogLag", fmt.Sprintf(`max(chatserver_log_lag_seconds{%s}) > 10`, series(server, Events)), "5m", "warning",
		fmt.Sprintf("Events of ChatServer %s are {{ $value | humanizeDuration }} late", which),
		"The oldest event that isn't dispatched has been older than ten seconds for five minutes: messages arrive late.",
	}, alert{
		"ChatServerOldTransaction", fmt.Sprintf(`max(chatserver_database_oldest_transaction_age_seconds{%s}) > 10`, series(server, API)), "1m", "warning",
		fmt.Sprintf("A transaction has delayed the events of ChatServer %s for {{ $value | humanizeDuration }}", which),
		"A transaction in some database of the PostgreSQL server has been open for longer than ten seconds. Events of all organizations wait for it.",
	}, alert{
		"ChatServerConnectionsRefused", fmt.Sprintf(`sum(rate(chatserver_database_connections_refused_total{%s}[2m])) > 0`, all), "5m", "warning",
		"PostgreSQL refuses connections of ChatServer " + which,
		"PostgreSQL has had as many connections as it accepts for five minutes. Requests wait for those that there are, and fail after some seconds.",
	}, alert{
		"ChatServerSlowWakeUps", fmt.Sprintf(`histogram_quantile(0.99, sum by (le) (rate(chatserver_wakeup_duration_seconds_bucket{%s}[5m]))) > 2`,
			series(server, Events)), "10m", "warning",
		fmt.Sprintf("Polls of ChatServer %s are answered {{ $value | humanizeDuration }} after an event", which),
		"One poll in a hundred has been answered more than two seconds after the event that it waited for, for ten minutes.",
	}, alert{
		// The first undeliverable event of a pod creates the series, whose increase is 0 at that time. A series that Prometheus has seen
		// in the day before isn't new, even if it was missing an hour ago because Prometheus was down.
		"ChatServerUndeliverableEvents", fmt.Sprintf(`sum(increase(%[1]s[1h]) > 0 or %[1]s unless present_over_time(%[1]s[1d] offset 1h)) > 0`,
			fmt.Sprintf(`chatserver_events_undeliverable_total{%s}`, series(server, Events))), "0s", "warning",
		fmt.Sprintf("Events of ChatServer %s couldn't be delivered within the last hour", which),
		"Events that fail each time are put aside, and the queues of their organizations are dropped: clients register again.",
	})
}

// namespaced returns a name for alerts, which no other server has.
func namespaced(server *v1alpha1.ChatServer) string {
	return server.Namespace + "/" + server.Name
}

// series returns label matchers for series of services. Prometheus names jobs after Services.
func series(server *v1alpha1.ChatServer, components ...Component) string {
	jobs := make([]string, len(components))
	for i, component := range components {
		jobs[i] = name(server, string(component))
	}
	if len(jobs) == 1 {
		return fmt.Sprintf(`namespace="%s",job="%s"`, server.Namespace, jobs[0])
	}
	return fmt.Sprintf(`namespace="%s",job=~"%s"`, server.Namespace, strings.Join(jobs, "|"))
}
