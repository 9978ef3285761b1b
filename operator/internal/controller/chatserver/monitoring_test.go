package chatserver_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/inputs"
)

// A server needs no Prometheus operator: without its kinds it serves, and Ready names those that are missing.
func TestServerWithoutThePrometheusOperator(t *testing.T) {
	w := newDiscoveringWorld(t)
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

	installCRD(t, inputs.PrometheusRule(), "prometheusrules")
	w.until("there are rules", func() bool { return w.foreign(inputs.PrometheusRule(), "main") != nil })

	// A kind whose objects can't be listed, because of its CRD's webhook for example, doesn't occupy the operator for good.
	w.stop()
	w.discovery = time.Hour
	webhook := w.converts("prometheusrules")
	w.start()
	w.until("the condition names it", func() bool {
		return w.ready(v1alpha1.ReasonFailed) && strings.Contains(w.condition("Ready").Message, "kubectl get prometheusrule -A says why")
	})
	took := time.Minute
	for n := int32(3); n < 7 && took > 4*time.Second; n++ { // a busy machine is slow now and then
		changed := time.Now()
		w.change(func(s *v1alpha1.ChatServer) { s.Spec.API.Replicas = new(n) })
		w.until("the change is seen", func() bool { s := w.server(); return s.Status.ObservedGeneration == s.Generation })
		took = time.Since(changed)
	}
	if took > 4*time.Second {
		t.Errorf("a pass waits until the kind is listed: it takes %v", took)
	}
	w.change(func(s *v1alpha1.ChatServer) { s.Spec.Monitoring.Rules = false })
	w.until("a server without rules serves", func() bool { return w.ready(v1alpha1.ReasonServing) })
	close(webhook.responds)
	w.until("its rules of before are deleted", func() bool { return w.foreign(inputs.PrometheusRule(), "main") == nil })
	w.change(func(s *v1alpha1.ChatServer) { s.Spec.Monitoring.Rules = true })
	w.until("it serves with rules", func() bool {
		return w.ready(v1alpha1.ReasonServing) && w.foreign(inputs.PrometheusRule(), "main") != nil
	})

	// The operator notices at once that a kind isn't served any more.
	removeCRD(t, inputs.ServiceMonitor(), "servicemonitors")
	w.until("it serves without a ServiceMonitor", func() bool { return missing("ServiceMonitor") && !missing("PrometheusRule") })

	// The alert for a service without pods would fire while others still drain.
	w.held["main-webhook"] = true
	w.change(func(s *v1alpha1.ChatServer) { s.Spec.State = v1alpha1.StateHibernated })
	w.until("the rules are gone", func() bool { return w.foreign(inputs.PrometheusRule(), "main") == nil })
	if *w.deployment("events").Spec.Replicas == 0 {
		t.Error("webhook has ended already")
	}
	delete(w.held, "main-webhook")
	w.until("it sleeps", func() bool { return w.ready(v1alpha1.ReasonHibernated) })
}

// conversion is a transport by which objects of a kind are read only when the webhook that converts them responds. Requests hang
// until then: after errors, the operator's cache would read them again only a minute later.
type conversion struct {
	next     http.RoundTripper
	resource string
	responds chan struct{} // closed once it responds
}

// converts makes the operator, once it is started again, read objects of a kind by a webhook, which doesn't respond yet.
func (w *world) converts(resource string) *conversion {
	w.t.Helper()
	c := &conversion{resource: resource, responds: make(chan struct{})}
	w.access.Wrap(func(next http.RoundTripper) http.RoundTripper {
		c.next = next
		return c
	})
	return c
}

// RoundTrip implements [http.RoundTripper].
func (c *conversion) RoundTrip(request *http.Request) (*http.Response, error) {
	if strings.HasSuffix(request.URL.Path, "/"+c.resource) {
		select {
		case <-c.responds:
		case <-request.Context().Done():
			return nil, request.Context().Err()
		}
	}
	return c.next.RoundTrip(request)
}
