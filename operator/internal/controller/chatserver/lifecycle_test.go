package chatserver_test

import (
	"maps"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"

	"chatserver.dev/operator/api/v1alpha1"
)

func TestAPausedServerIsLeftAlone(t *testing.T) {
	w := newWorld(t)
	w.install(w.minimal())
	w.change(func(s *v1alpha1.ChatServer) { s.Spec.State = v1alpha1.StatePaused })
	w.until("it is paused", func() bool { return w.ready(v1alpha1.ReasonPaused) && w.condition("Paused").Status == "True" })
	w.quiet()
	n := w.writes.count()
	w.change(func(s *v1alpha1.ChatServer) { s.Spec.Version = "0.2.0" })
	w.until("the generation is seen", func() bool { return w.ready(v1alpha1.ReasonPaused) })
	if err := w.Delete(t.Context(), w.deployment("webhook")); err != nil {
		t.Fatal(err)
	}
	w.until("that is noticed", func() bool { return w.condition(v1alpha1.ConditionAvailable).Status == "False" })
	w.quiet()
	for _, call := range w.writes.since(n) {
		if !strings.Contains(call, "/chatservers/main/status") {
			t.Errorf("the operator writes %s", call)
		}
	}
	w.change(func(s *v1alpha1.ChatServer) { s.Spec.State = v1alpha1.StateRunning })
	w.until("it goes on", func() bool {
		return w.ready(v1alpha1.ReasonServing) && w.server().Status.Version == "0.2.0" && w.condition("Paused").Type == ""
	})
}

func TestAServerSleepsAndWakes(t *testing.T) {
	w := newWorld(t)
	w.install(w.full())
	w.quiet()
	service := &corev1.Service{}
	w.get("main-api", service)
	for _, name := range []string{"main-webhook", "main-events", "main-api", "main-redis", "main-postgres"} {
		w.held[name] = true
	}
	w.change(func(s *v1alpha1.ChatServer) { s.Spec.State = v1alpha1.StateHibernated })
	replicas := func(component string) int32 {
		if component == "postgres" || component == "redis" {
			set := &appsv1.StatefulSet{}
			w.get("main-"+component, set)
			return *set.Spec.Replicas
		}
		return *w.deployment(component).Spec.Replicas
	}
	order := []string{"webhook", "events", "api", "postgres"}
	for i, component := range order {
		w.until(component+" is put to sleep", func() bool { return replicas(component) == 0 })
		w.quiet()
		for _, later := range order[i+1:] {
			if replicas(later) == 0 {
				t.Errorf("%s went with %s", later, component)
			}
		}
		delete(w.held, "main-"+component)
	}
	delete(w.held, "main-redis")
	w.until("it sleeps", func() bool {
		return w.ready(v1alpha1.ReasonHibernated) && w.condition(v1alpha1.ConditionAvailable).Reason == v1alpha1.ReasonHibernated
	})
	if w.exists("main-events", &autoscalingv2.HorizontalPodAutoscaler{}) {
		t.Error("the autoscaler is still there")
	}
	if after := (&corev1.Service{}); !w.exists("main-api", after) || after.UID != service.UID || !w.exists("main", &networkingv1.Ingress{}) || w.job() == nil {
		t.Error("the way in or the Job is gone")
	}
	secret := &corev1.Secret{}
	w.get("main-postgres", secret)
	password := string(secret.Data["password"])

	w.change(func(s *v1alpha1.ChatServer) { s.Spec.State = v1alpha1.StateRunning })
	w.until("it serves again", func() bool { return w.ready(v1alpha1.ReasonServing) })
	if a, e := replicas("api"), replicas("events"); a != 2 || e != 3 {
		t.Errorf("after waking api has %d pods and events %d", a, e)
	}
	w.get("main-postgres", secret)
	if string(secret.Data["password"]) != password {
		t.Error("there is another password")
	}
}

// A Deployment with no counted pods may have terminating ones. The objects that these need stay until they have ended.
func TestServicesDrainBeforeWhatTheyNeedGoes(t *testing.T) {
	w := newWorld(t)
	w.install(w.full())
	w.quiet()
	order := []string{"webhook", "events", "api"}
	for _, component := range order {
		w.draining(component)
		theirs := podLabels(component)
		theirs[v1alpha1.LabelName] = "another-product"
		w.pod("theirs-"+component, theirs, corev1.ContainerStatus{Name: component})
	}
	w.change(func(s *v1alpha1.ChatServer) { s.Spec.State = v1alpha1.StateHibernated })
	running := func(component string) bool {
		if component == "postgres" {
			set := &appsv1.StatefulSet{}
			w.get("main-postgres", set)
			return *set.Spec.Replicas > 0
		}
		return *w.deployment(component).Spec.Replicas > 0
	}
	for i, component := range order {
		pod := "main-" + component + "-drains"
		w.until(component+" drains", func() bool {
			return !running(component) && w.ready(v1alpha1.ReasonProgressing) && strings.Contains(w.condition("Ready").Message, pod)
		})
		for _, later := range append(order[i+1:], "postgres") {
			if !running(later) {
				t.Errorf("%s went while a pod of %s drained", later, component)
			}
		}
		drained := &corev1.Pod{}
		w.get(pod, drained)
		drained.Finalizers = nil
		if err := w.Update(t.Context(), drained); err != nil {
			t.Fatal(err)
		}
	}
	w.until("it sleeps", func() bool { return w.ready(v1alpha1.ReasonHibernated) && !running("postgres") })
}

// draining creates a pod of a service that is terminating and takes long.
func (w *world) draining(component string) {
	w.t.Helper()
	pod := &corev1.Pod{ObjectMeta: w.meta("main-" + component + "-drains"), Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: component, Image: "x"}}}}
	pod.Labels, pod.Finalizers = w.deployment(component).Spec.Selector.MatchLabels, []string{"test/drains"}
	w.create(pod)
	if err := w.Delete(w.t.Context(), pod); err != nil {
		w.t.Fatal(err)
	}
}

func TestEventsComeWithTransitionsOnly(t *testing.T) {
	w := newWorld(t)
	w.install(w.minimal())
	w.quiet()
	w.until("the events are there", func() bool { return w.reasons()[v1alpha1.ReasonServing] > 0 })
	before := w.reasons()
	if before[v1alpha1.ReasonServing] != 1 {
		t.Errorf("events %v", before)
	}
	for reason, n := range before {
		if n > 2 {
			t.Errorf("%d events of %s", n, reason)
		}
	}
	for range 4 {
		w.touch()
		time.Sleep(50 * time.Millisecond)
	}
	w.stop()
	w.start()
	time.Sleep(300 * time.Millisecond)
	w.quiet()
	if after := w.reasons(); !maps.Equal(before, after) {
		t.Errorf("events before %v, after %v", before, after)
	}
}
