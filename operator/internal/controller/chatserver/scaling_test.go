package chatserver_test

import (
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"chatserver.dev/operator/api/v1alpha1"
)

func TestReplicasAreHandedOverWithoutADrop(t *testing.T) {
	w := newWorld(t)
	server := w.minimal()
	server.Spec.API.Replicas = ptr.To[int32](5)
	w.install(server)
	w.quiet()
	w.held["main-api"] = true // no status is written, so each version of it is the operator's or the autoscaler's
	seen := w.watchReplicas("main-api")
	w.change(func(s *v1alpha1.ChatServer) {
		s.Spec.API = v1alpha1.Component{Autoscaling: &v1alpha1.Autoscaling{MinReplicas: 2, MaxReplicas: 9}}
	})
	w.until("there is an autoscaler", func() bool { return w.exists("main-api", &autoscalingv2.HorizontalPodAutoscaler{}) })
	w.quiet()
	if owner := w.ownerOfReplicas("main-api"); owner != "chatserver-operator-handover" {
		t.Errorf("the number belongs to %q", owner)
	}
	scale := &autoscalingv1.Scale{Spec: autoscalingv1.ScaleSpec{Replicas: 7}}
	if err := w.SubResource("scale").Update(t.Context(), w.deployment("api"), client.WithSubResourceBody(scale), client.FieldOwner("autoscaler")); err != nil {
		t.Fatal(err)
	}
	w.touch()
	w.quiet()
	if got := *w.deployment("api").Spec.Replicas; got != 7 {
		t.Errorf("the autoscaler's 7 became %d", got)
	}
	delete(w.held, "main-api")
	w.change(func(s *v1alpha1.ChatServer) { s.Spec.API = v1alpha1.Component{Replicas: ptr.To[int32](4)} })
	w.until("the number is the spec's", func() bool {
		return *w.deployment("api").Spec.Replicas == 4 && !w.exists("main-api", &autoscalingv2.HorizontalPodAutoscaler{})
	})
	for _, n := range seen() {
		if n < 4 {
			t.Errorf("there were %d replicas for a while", n)
		}
	}
	if got := w.repairs(); got != 0 {
		t.Errorf("%v repairs were counted", got)
	}
}

func TestAnAutoscalerThatCantReadTheLoadIsReported(t *testing.T) {
	w := newWorld(t)
	w.install(w.full())
	scaler := &autoscalingv2.HorizontalPodAutoscaler{}
	w.get("main-events", scaler)
	answer := func(status corev1.ConditionStatus) {
		w.status(scaler, func() {
			scaler.Status.Conditions = []autoscalingv2.HorizontalPodAutoscalerCondition{{
				Type: autoscalingv2.ScalingActive, Status: status, Reason: "FailedGetResourceMetric", Message: "no metrics of CPU are returned",
			}}
		})
	}
	const note = "HorizontalPodAutoscaler main-events doesn't scale: no metrics of CPU are returned"
	answer(corev1.ConditionFalse)
	w.until("it is reported", func() bool {
		return w.ready(v1alpha1.ReasonServing) && strings.Contains(w.condition("Ready").Message, note)
	})
	answer(corev1.ConditionTrue)
	w.until("it isn't any more", func() bool { return !strings.Contains(w.condition("Ready").Message, note) })
}

// watchReplicas records each number of replicas of a Deployment, until the returned function is called, which returns
// them.
func (w *world) watchReplicas(name string) func() []int32 {
	w.t.Helper()
	c, err := client.NewWithWatch(cluster.Config, client.Options{Scheme: w.Scheme()})
	if err != nil {
		w.t.Fatal(err)
	}
	watcher, err := c.Watch(w.t.Context(), &appsv1.DeploymentList{}, client.InNamespace(w.namespace), client.MatchingFields{"metadata.name": name})
	if err != nil {
		w.t.Fatal(err)
	}
	return func() []int32 {
		w.t.Helper()
		defer watcher.Stop()
		defer time.AfterFunc(patience, watcher.Stop).Stop()
		now := &appsv1.Deployment{}
		w.get(name, now)
		var seen []int32
		for event := range watcher.ResultChan() {
			d, isOne := event.Object.(*appsv1.Deployment)
			if !isOne {
				continue
			}
			seen = append(seen, *d.Spec.Replicas)
			if d.ResourceVersion == now.ResourceVersion {
				break
			}
		}
		if len(seen) < 3 {
			w.t.Errorf("only %v was seen", seen)
		}
		return seen
	}
}

func (w *world) ownerOfReplicas(name string) string {
	w.t.Helper()
	d := &appsv1.Deployment{}
	w.get(name, d)
	owners := []string(nil)
	for _, entry := range d.ManagedFields {
		if strings.Contains(entry.FieldsV1.GetRawString(), `"f:replicas"`) && entry.Subresource == "" {
			owners = append(owners, entry.Manager)
		}
	}
	return strings.Join(owners, " ")
}
