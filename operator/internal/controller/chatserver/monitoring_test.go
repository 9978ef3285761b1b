package chatserver_test

import (
	"strings"
	"testing"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/inputs"
)

// A server needs no Prometheus operator: without its kinds it serves, and Ready names those that are missing.
func TestServerWithoutThePrometheusOperator(t *testing.T) {
	w := newWorld(t)
	server := w.minimal()
	server.Spec.Monitoring = v1alpha1.Monitoring{ServiceMonitor: true, Rules: true}
	w.install(server)
	missing := func(kind string) bool {
		return w.ready(v1alpha1.ReasonServing) && strings.Contains(w.condition("Ready").Message, "no "+kind+": its CRD isn't installed")
	}
	w.until("it serves and names what is missing", func() bool { return missing("ServiceMonitor") && missing("PrometheusRule") })
	if c := w.condition("Stalled"); c.Status == "True" {
		t.Errorf("it is stalled: %s", c.Message)
	}
	installCRD(t, inputs.ServiceMonitor(), "servicemonitors")
	w.until("there is a ServiceMonitor", func() bool {
		return w.foreign(inputs.ServiceMonitor(), "main") != nil && !missing("ServiceMonitor") && missing("PrometheusRule")
	})

	// The alert for a service without pods would fire while others still drain.
	installCRD(t, inputs.PrometheusRule(), "prometheusrules")
	w.until("there are rules", func() bool { return w.foreign(inputs.PrometheusRule(), "main") != nil })
	w.held["main-webhook"] = true
	w.change(func(s *v1alpha1.ChatServer) { s.Spec.State = v1alpha1.StateHibernated })
	w.until("the rules are gone", func() bool { return w.foreign(inputs.PrometheusRule(), "main") == nil })
	if *w.deployment("events").Spec.Replicas == 0 {
		t.Error("webhook has ended already")
	}
	delete(w.held, "main-webhook")
	w.until("it sleeps", func() bool { return w.ready(v1alpha1.ReasonHibernated) })
}
