package chatserver_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	clocktesting "k8s.io/utils/clock/testing"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/pkg/adminapi"
)

// health is the admin interface of all pods. The zero value reports no problems.
type health struct {
	sync.Mutex
	now   adminapi.Health
	cut   bool           // no pod is reached
	asked map[string]int // addresses
}

// RoundTrip answers calls with the token.
func (h *health) RoundTrip(request *http.Request) (*http.Response, error) {
	h.Lock()
	defer h.Unlock()
	if h.asked == nil {
		h.asked = map[string]int{}
	}
	h.asked[request.URL.String()]++
	if h.cut {
		return nil, syscall.EHOSTUNREACH
	}
	status := http.StatusOK
	if len(request.Header.Get("Authorization")) < len("Bearer ")+20 {
		status = http.StatusUnauthorized
	}
	body, err := json.Marshal(h.now)
	return &http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader(string(body))), Request: request}, err
}

func (h *health) become(now adminapi.Health) {
	h.Lock()
	defer h.Unlock()
	h.now = now
}

// The conditions have the pods' reports of database and cache, with the object that they concern. The server stays
// available, and no pods are replaced.
func TestFailingDatabaseAndCacheAreReported(t *testing.T) {
	w := newWorld(t)
	w.install(w.full())
	w.running("10.9.8.7")
	templates := func() (sum int64) {
		for _, component := range []string{"api", "events", "webhook"} {
			sum += w.deployment(component).Generation
		}
		return sum
	}
	before := templates()
	for _, c := range []struct {
		health        adminapi.Health
		reason, claim string
	}{
		{adminapi.Health{Database: "its disk is full"}, v1alpha1.ReasonDatabaseFailing, "data-main-postgres-0"},
		{adminapi.Health{Cache: "its disk is full"}, v1alpha1.ReasonCacheFailing, "data-main-redis-0"},
	} {
		w.health.become(c.health)
		w.touch()
		w.until("the condition shows it", func() bool { return w.ready(c.reason) })
		message := w.condition(v1alpha1.ConditionDependenciesReady).Message
		if !strings.Contains(message, "its disk is full; its volume is PersistentVolumeClaim "+c.claim) {
			t.Errorf("the condition says %q", message)
		}
		if ready := w.condition(v1alpha1.ConditionReady); !strings.Contains(ready.Message, "0.1.0 is still serving") || w.condition(v1alpha1.ConditionReconciling).Status != "True" {
			t.Errorf("Ready says %+v", ready)
		}
		// The condition stays the same, without a write.
		since := w.condition(v1alpha1.ConditionDependenciesReady).LastTransitionTime
		w.quiet()
		n := w.writes.count()
		w.touch()
		time.Sleep(1200 * time.Millisecond)
		if calls := w.writes.since(n); len(calls) > 0 {
			t.Errorf("%d writes while nothing changes, such as %s", len(calls), calls[0])
		}
		if now := w.condition(v1alpha1.ConditionDependenciesReady).LastTransitionTime; !now.Equal(&since) {
			t.Errorf("the time of the transition moved from %s to %s", since, now)
		}
	}
	w.health.become(adminapi.Health{})
	w.touch()
	w.until("it serves", func() bool { return w.ready(v1alpha1.ReasonServing) })
	if c := w.condition(v1alpha1.ConditionDependenciesReady); c.Status != "True" {
		t.Errorf("the condition says %+v", c)
	}
	if after := templates(); after != before {
		t.Errorf("generations of Deployments went from %d to %d", before, after)
	}
	w.health.Lock()
	defer w.health.Unlock()
	if w.health.asked["https://10.9.8.7:8443/admin/v1/health"] < 3 || len(w.health.asked) != 1 {
		t.Errorf("asked were %v", w.health.asked)
	}
}

// running creates a running pod of api, and returns it.
func (w *world) running(ip string) *corev1.Pod {
	w.t.Helper()
	template := w.deployment("api").Spec.Template
	pod := &corev1.Pod{ObjectMeta: w.meta("main-api-1"), Spec: corev1.PodSpec{Containers: []corev1.Container{{
		Name: "api", Image: "x", Ports: template.Spec.Containers[0].Ports,
	}}}}
	pod.Labels = template.Labels
	w.create(pod)
	w.status(pod, func() { pod.Status.Phase, pod.Status.PodIP = corev1.PodRunning, ip })
	return pod
}

// Asking pods that can't be reached takes long, and holds up other servers. So they are asked less often, and Ready says so. Pods that
// are starting don't count.
func TestPodsThatAreNotReached(t *testing.T) {
	start := time.Now().Truncate(time.Second)
	clock := clocktesting.NewFakePassiveClock(start)
	w := newWorldAt(t, clock)
	w.install(w.minimal())
	pod := w.running("10.9.8.7")
	started := func(started bool) {
		w.status(pod, func() {
			pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "api", Image: "x", ImageID: "x", Started: &started}}
		})
		w.touch()
	}
	asked := func(cut bool) (n int) {
		w.health.Lock()
		defer w.health.Unlock()
		w.health.cut = cut
		return w.health.asked["https://10.9.8.7:8443/admin/v1/health"]
	}
	noted := func() bool {
		return strings.Contains(w.condition(v1alpha1.ConditionReady).Message, "its pods don't answer the operator")
	}
	started(false)
	w.quiet()
	before := asked(true)
	w.touch()
	w.quiet()
	if n := asked(true); n > before || noted() {
		t.Errorf("a pod that is starting was asked %d times; Ready says %+v", n-before, w.condition(v1alpha1.ConditionReady))
	}
	started(true)
	w.until("Ready says so", func() bool { return noted() && w.ready(v1alpha1.ReasonServing) })
	n := asked(false)
	w.touch()
	w.quiet()
	if got := asked(false); got != n || !noted() {
		t.Errorf("it was asked %d times, and then %d; Ready says %+v", n, got, w.condition(v1alpha1.ConditionReady))
	}
	clock.SetTime(start.Add(5 * time.Minute))
	w.touch()
	w.until("it is asked again", func() bool { return !noted() && w.ready(v1alpha1.ReasonServing) })
}

// A service without a ready pod isn't ready, and isn't reported as a rollout.
func TestServiceWithoutPodsIsReported(t *testing.T) {
	w := newWorld(t)
	w.install(w.minimal())
	w.held["main-webhook"] = true
	d := w.deployment("webhook")
	w.status(d, func() { d.Status.ReadyReplicas, d.Status.AvailableReplicas = 0, 0 })
	w.until("the condition shows it", func() bool { return w.ready(v1alpha1.ReasonUnavailable) })
	if c := w.condition(v1alpha1.ConditionReady); !strings.Contains(c.Message, "Deployment main-webhook has no ready pod: see") {
		t.Errorf("Ready says %+v", c)
	}
	w.pod("main-webhook-1", d.Spec.Template.Labels, corev1.ContainerStatus{Name: "webhook", State: corev1.ContainerState{
		Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff", Message: "back-off"},
	}})
	w.touch()
	w.until("the condition has the pod's message", func() bool {
		return strings.Contains(w.condition(v1alpha1.ConditionReady).Message, "pod main-webhook-1, container webhook: CrashLoopBackOff")
	})
	if c := w.condition(v1alpha1.ConditionRolledOut); c.Status != "True" {
		t.Errorf("RolledOut is %+v", c)
	}
	w.held["main-webhook"] = false
	w.until("it serves", func() bool { return w.ready(v1alpha1.ReasonServing) })
	w.change(func(s *v1alpha1.ChatServer) { s.Spec.API.Replicas = new(int32(0)) })
	w.waits("api has no pods: spec.api.replicas is 0")
	if c := w.condition(v1alpha1.ConditionStalled); c.Status != "True" || !w.ready(v1alpha1.ReasonUnavailable) {
		t.Errorf("Stalled is %+v, and Ready %+v", c, w.condition(v1alpha1.ConditionReady))
	}
}
