package chatserver_test

import (
	"maps"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"chatserver.dev/operator/api/v1alpha1"
)

func TestAPassThatFindsAllInPlaceWritesNothing(t *testing.T) {
	w := newWorld(t)
	w.install(w.full())
	w.quiet()
	before, n := w.versions(), w.writes.count()
	reads := atomic.Int64{} // other than watches, and than the discovery of kinds
	w.writes.see(func(request *http.Request) {
		if request.Method == http.MethodGet && strings.Contains(request.URL.Path, "/namespaces/") && !request.URL.Query().Has("watch") {
			reads.Add(1)
		}
	})
	const passes = 5
	for range passes {
		w.touch()
		time.Sleep(100 * time.Millisecond)
	}
	w.quiet()
	// Of hundreds of servers most are at rest, with a pass a minute, which reads Secrets and pods: six objects. One pass more may be due.
	if got := reads.Load(); got == 0 || got > 6*(passes+1) {
		t.Errorf("%d passes read from the API server %d times", passes, got)
	}
	if calls := w.writes.since(n); len(calls) > 0 {
		t.Errorf("%d writes, such as %s", len(calls), calls[0])
	}
	after := w.versions()
	delete(before, "Service/main-api") // the one that was touched
	delete(after, "Service/main-api")
	if !maps.Equal(before, after) {
		t.Errorf("versions before %v, after %v", before, after)
	}
	if len(before) < 20 {
		t.Errorf("there are only %d objects: %v", len(before), before)
	}

	w.stop()
	w.start()
	time.Sleep(500 * time.Millisecond)
	w.quiet()
	if calls := w.writes.since(0); len(calls) > 0 {
		t.Errorf("a new operator made %d writes, such as %s", len(calls), calls[0])
	}
	after = w.versions()
	delete(after, "Service/main-api")
	if !maps.Equal(before, after) {
		t.Errorf("versions before %v, after another start %v", before, after)
	}
}

func TestDriftOfEachKindIsReverted(t *testing.T) {
	w := newWorld(t)
	w.install(w.full())
	w.quiet()
	for _, c := range []struct {
		name    string
		object  client.Object
		change  func(client.Object)
		right   func(client.Object) bool
		field   string
		removed bool
	}{
		{
			"main-api", &appsv1.Deployment{},
			func(o client.Object) { o.(*appsv1.Deployment).Spec.Template.Spec.Containers[0].Image = "evil" },
			func(o client.Object) bool {
				return strings.HasPrefix(o.(*appsv1.Deployment).Spec.Template.Spec.Containers[0].Image, "registry.test/")
			},
			"image", false,
		},
		{
			"main-webhook", &appsv1.Deployment{},
			func(o client.Object) { o.(*appsv1.Deployment).Spec.Replicas = ptr.To[int32](7) },
			func(o client.Object) bool { return *o.(*appsv1.Deployment).Spec.Replicas == 2 }, "spec.replicas", false,
		},
		{
			"main-postgres", &appsv1.StatefulSet{},
			func(o client.Object) { o.(*appsv1.StatefulSet).Spec.Replicas = ptr.To[int32](0) },
			func(o client.Object) bool { return *o.(*appsv1.StatefulSet).Spec.Replicas == 1 }, "spec.replicas", false,
		},
		{
			"main-api", &corev1.Service{},
			func(o client.Object) { o.(*corev1.Service).Spec.Ports[0].Port = 81 },
			func(o client.Object) bool {
				return o.(*corev1.Service).Spec.Ports[0].Port == 80 && len(o.(*corev1.Service).Spec.Ports) == 1
			}, "spec.ports", false,
		},
		{
			"main-api", &corev1.ServiceAccount{},
			func(o client.Object) { o.(*corev1.ServiceAccount).AutomountServiceAccountToken = ptr.To(true) },
			func(o client.Object) bool { return !*o.(*corev1.ServiceAccount).AutomountServiceAccountToken }, "automountServiceAccountToken", false,
		},
		{
			"main", &networkingv1.Ingress{},
			func(o client.Object) { o.(*networkingv1.Ingress).Spec.Rules[0].Host = "evil.test" },
			func(o client.Object) bool { return o.(*networkingv1.Ingress).Spec.Rules[0].Host == "chat.test" }, "spec.rules", false,
		},
		{
			"main-api", &policyv1.PodDisruptionBudget{},
			func(o client.Object) { o.(*policyv1.PodDisruptionBudget).Spec.MaxUnavailable.IntVal = 2 },
			func(o client.Object) bool { return o.(*policyv1.PodDisruptionBudget).Spec.MaxUnavailable.IntVal == 1 }, "spec.maxUnavailable", false,
		},
		{
			"main-api", &policyv1.PodDisruptionBudget{},
			func(o client.Object) {
				budget := o.(*policyv1.PodDisruptionBudget)
				budget.Spec.MaxUnavailable, budget.Spec.MinAvailable = nil, ptr.To(intstr.FromInt32(2))
			},
			func(o client.Object) bool {
				budget := o.(*policyv1.PodDisruptionBudget)
				return budget.Spec.MinAvailable == nil && budget.Spec.MaxUnavailable.IntVal == 1
			}, "spec.maxUnavailable and 1 more", true,
		},
		{
			"main-events", &autoscalingv2.HorizontalPodAutoscaler{},
			func(o client.Object) { o.(*autoscalingv2.HorizontalPodAutoscaler).Spec.MaxReplicas = 99 },
			func(o client.Object) bool { return o.(*autoscalingv2.HorizontalPodAutoscaler).Spec.MaxReplicas == 9 }, "spec.maxReplicas", false,
		},
		{
			"main-api", &networkingv1.NetworkPolicy{},
			func(o client.Object) { o.(*networkingv1.NetworkPolicy).Spec.Ingress = nil },
			func(o client.Object) bool { return len(o.(*networkingv1.NetworkPolicy).Spec.Ingress) > 0 }, "spec.ingress", true,
		},
		{
			"main-events", &corev1.Service{},
			func(o client.Object) { o.SetLabels(map[string]string{"mine": "now"}) },
			func(o client.Object) bool {
				return o.GetLabels()["app.kubernetes.io/instance"] == "main" && o.GetLabels()["mine"] == "now"
			}, "metadata.labels", false,
		},
		{
			"main-webhook", &corev1.Service{},
			func(o client.Object) { o.SetOwnerReferences(nil) },
			func(o client.Object) bool { return len(o.GetOwnerReferences()) == 1 }, "metadata.ownerReferences", true,
		},
	} {
		w.get(c.name, c.object)
		before := c.object.DeepCopyObject().(client.Object)
		c.change(c.object)
		if err := w.Patch(t.Context(), c.object, client.MergeFrom(before), client.FieldOwner("a-person")); err != nil {
			t.Fatal(err)
		}
		w.until(c.field+" is right again", func() bool {
			w.get(c.name, c.object)
			return c.right(c.object) && w.condition(v1alpha1.ConditionDriftRepaired).Status == "True" &&
				strings.Contains(w.condition(v1alpha1.ConditionDriftRepaired).Message, c.field)
		})
		manager := "a-person"
		if c.removed {
			manager = "somebody" // the API server doesn't record who removed a field
		}
		if message := w.condition(v1alpha1.ConditionDriftRepaired).Message; !strings.Contains(message, manager) {
			t.Errorf("%s: the condition says %q", c.field, message)
		}
		w.until("it serves again", func() bool { return w.ready(v1alpha1.ReasonServing) })
	}
	w.quiet()
	if n, err := testutil.GatherAndCount(w.registry, "chatserver_operator_drift_repairs_total"); err != nil || n != 8 {
		t.Errorf("%d kinds were counted, %v", n, err)
	}
	if got := w.repairs(); got != 12 {
		t.Errorf("%v repairs were counted", got)
	}
	if n := w.reasons()[v1alpha1.ReasonDriftRepaired]; n != 12 {
		t.Errorf("%d events of repairs", n)
	}
	if err := w.Delete(t.Context(), w.server()); err != nil {
		t.Fatal(err)
	}
	w.until("its repairs aren't counted any more", func() bool { return w.repairs() == 0 })
}

// If somebody changes one of the operator's own Secrets again each time that it is reverted, only the first passes follow each other
// immediately.
func TestSecretsAreNotWrittenWithoutEnd(t *testing.T) {
	w := newWorld(t)
	w.install(w.minimal())
	w.quiet()
	secret, start := &corev1.Secret{}, time.Now()
	for range 23 { // three more than at once
		w.get("main-database-address", secret)
		before := secret.DeepCopy()
		secret.Data["url"] = []byte("theirs")
		if err := w.Patch(t.Context(), secret, client.MergeFrom(before)); err != nil {
			t.Fatal(err)
		}
		w.until("it is reverted", func() bool {
			w.get("main-database-address", secret)
			return string(secret.Data["url"]) != "theirs"
		})
	}
	if took := time.Since(start); took < 5*time.Second {
		t.Errorf("it was reverted 23 times within %s", took)
	}
}

// repairs returns the sum of the metric.
func (w *world) repairs() float64 {
	w.t.Helper()
	families, err := w.registry.Gather()
	if err != nil {
		w.t.Fatal(err)
	}
	sum := 0.0
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			sum += metric.GetCounter().GetValue()
		}
	}
	return sum
}

func TestWhatIsDeletedIsRecreated(t *testing.T) {
	w := newWorld(t)
	w.install(w.minimal())
	old := w.deployment("events")
	if err := w.Delete(t.Context(), old); err != nil {
		t.Fatal(err)
	}
	w.until("there is another Deployment", func() bool {
		d := &appsv1.Deployment{}
		return w.exists("main-events", d) && d.UID != old.UID && w.ready(v1alpha1.ReasonServing) &&
			strings.Contains(w.condition(v1alpha1.ConditionDriftRepaired).Message, "Deployment main-events was deleted")
	})
	if got := w.repairs(); got != 1 {
		t.Errorf("%v repairs were counted", got)
	}
}

// Another controller that undoes each repair doesn't keep the operator busy.
func TestRepairsAreLimited(t *testing.T) {
	w := newWorld(t)
	w.install(w.minimal())
	w.quiet()
	account := &corev1.ServiceAccount{}
	undo := func() {
		if w.get("main-api", account); *account.AutomountServiceAccountToken {
			return
		}
		before := account.DeepCopy()
		account.AutomountServiceAccountToken = ptr.To(true)
		if err := w.Patch(t.Context(), account, client.MergeFrom(before), client.FieldOwner("another-controller")); err != nil {
			t.Fatal(err)
		}
	}
	began := time.Now()
	for w.repairs() < 20 && time.Since(began) < patience {
		undo()
	}
	for end := time.Now().Add(4 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		undo()
	}
	took := time.Since(began)
	if got, most := w.repairs(), 21+took.Seconds()/3; got < 21 || got > most {
		t.Errorf("%v repairs in %s, want 21 to %v", got, took, most)
	}
}

// Objects that are deleted while pods are being replaced are counted and reported, too.
func TestRepairsDuringARolloutAreCounted(t *testing.T) {
	w := newWorld(t)
	w.install(w.minimal())
	w.quiet()
	w.held["main-events"] = true
	w.change(func(s *v1alpha1.ChatServer) { s.Spec.Settings.LogLevel = "debug" })
	w.until("pods are replaced", func() bool { return w.ready(v1alpha1.ReasonRolloutRunning) })
	if got := w.repairs(); got != 0 {
		t.Fatalf("%v repairs were counted before", got)
	}
	for i, object := range []client.Object{&policyv1.PodDisruptionBudget{}, &networkingv1.NetworkPolicy{}, &corev1.ServiceAccount{}, &appsv1.Deployment{}} {
		w.get("main-events", object)
		uid := object.GetUID()
		if err := w.Delete(t.Context(), object); err != nil {
			t.Fatal(err)
		}
		w.until("it is recreated and counted", func() bool {
			return w.exists("main-events", object) && object.GetUID() != uid && w.repairs() == float64(i+1)
		})
	}
	if w.ready(v1alpha1.ReasonServing) {
		t.Error("the rollout ended before the repairs")
	}
	w.until("events report them", func() bool { return w.reasons()[v1alpha1.ReasonDriftRepaired] == 4 })
	delete(w.held, "main-events")
	w.until("it serves", func() bool { return w.ready(v1alpha1.ReasonServing) })
}

// writesNothing checks that another pass finds nothing to write.
func (w *world) writesNothing() {
	w.t.Helper()
	w.quiet()
	n := w.writes.count()
	w.touch()
	w.quiet()
	if calls := w.writes.since(n); len(calls) > 0 {
		w.t.Errorf("%d more writes, such as %s", len(calls), calls[0])
	}
}
