package chatserver_test

import (
	"bytes"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/apply"
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
	var seen []int32
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for event := range watcher.ResultChan() {
			if d, isOne := event.Object.(*appsv1.Deployment); isOne {
				seen = append(seen, *d.Spec.Replicas)
			}
		}
	}()
	return func() []int32 {
		time.Sleep(200 * time.Millisecond)
		watcher.Stop()
		<-ended
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

func TestWhatTheSpecNoLongerWantsIsPruned(t *testing.T) {
	w := newWorld(t)
	w.install(w.full())
	w.create(&corev1.Service{ObjectMeta: w.meta("mine"), Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 7}}}})
	// As made from the output of kubectl get: with the labels and annotations of the operator's.
	copied := &corev1.Service{}
	w.get("main-api", copied)
	copied.ObjectMeta = metav1.ObjectMeta{Namespace: copied.Namespace, Name: "copied", Labels: copied.Labels, Annotations: copied.Annotations}
	copied.Spec = corev1.ServiceSpec{Ports: copied.Spec.Ports, Selector: copied.Spec.Selector}
	w.create(copied)
	w.change(func(s *v1alpha1.ChatServer) {
		s.Spec.Exposure, s.Spec.Events.Autoscaling, s.Spec.NetworkPolicy = nil, nil, v1alpha1.Disabled
		s.Spec.API.Replicas = ptr.To[int32](1)
	})
	w.until("they are gone", func() bool {
		policies := &networkingv1.NetworkPolicyList{}
		if err := w.List(t.Context(), policies, client.InNamespace(w.namespace)); err != nil {
			t.Fatal(err)
		}
		return w.ready(v1alpha1.ReasonServing) && len(policies.Items) == 0 &&
			!w.exists("main", &networkingv1.Ingress{}) && !w.exists("main-events", &autoscalingv2.HorizontalPodAutoscaler{})
	})
	if !w.exists("mine", &corev1.Service{}) || !w.exists("copied", &corev1.Service{}) || !w.exists("main-admin", &corev1.Service{}) {
		t.Error("too much is gone")
	}
}

// claim creates the PersistentVolumeClaim that a StatefulSet would.
func (w *world) claim() {
	w.t.Helper()
	w.create(&corev1.PersistentVolumeClaim{
		ObjectMeta: func() (m metav1.ObjectMeta) {
			m = w.meta("data-main-postgres-0")
			m.Labels = podLabels("postgres")
			m.Labels[v1alpha1.LabelManagedBy] = v1alpha1.Manager
			return m
		}(),
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}},
		},
	})
}

func TestDeletionKeepsDataUnlessTheSpecSaysDelete(t *testing.T) {
	for _, c := range []struct {
		name    string
		policy  v1alpha1.ChatServerDeletionPolicy
		foreign bool // somebody else holds the server back
		data    bool // whether the data is expected afterwards
	}{
		{"Retain", v1alpha1.ChatServerRetain, false, true},
		{"Delete", v1alpha1.ChatServerDelete, false, false},
		{"Delete under a foreign finalizer", v1alpha1.ChatServerDelete, true, false},
		{"Retain under a foreign finalizer", v1alpha1.ChatServerRetain, true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			server := w.full()
			server.Spec.DeletionPolicy = c.policy
			if c.foreign {
				server.Finalizers = []string{"test/held"}
			}
			w.install(server)
			w.claim()
			uid := w.server().UID
			if err := w.Delete(t.Context(), w.server()); err != nil {
				t.Fatal(err)
			}
			w.until("the operator lets it go", func() bool {
				server := &v1alpha1.ChatServer{}
				return !w.exists("main", server) || c.foreign && len(server.Finalizers) == 1 && server.Finalizers[0] == "test/held"
			})
			claim := &corev1.PersistentVolumeClaim{}
			there := w.exists("data-main-postgres-0", claim) && claim.DeletionTimestamp == nil
			if secret := w.exists("main-postgres", &corev1.Secret{}); there != c.data || secret != c.data || w.exists("main-admin", &corev1.Secret{}) != c.data {
				t.Errorf("the volume is there: %v, the Secret: %v", there, secret)
			}
			if !w.exists("db", &corev1.Secret{}) {
				t.Error("a Secret that the operator doesn't own is gone")
			}
			if c.foreign {
				w.nothingIsMade()
			}
			if c.data && !c.foreign {
				w.collected(uid)
			}
		})
	}
}

// If a policy was changed while no operator was running, the new one applies when an operator starts.
func TestThePolicyCountsAsItIsAtTheEnd(t *testing.T) {
	w := newWorld(t)
	server := w.full()
	server.Spec.DeletionPolicy = v1alpha1.ChatServerDelete
	w.install(server)
	w.claim()
	w.stop()
	w.change(func(s *v1alpha1.ChatServer) { s.Spec.DeletionPolicy = v1alpha1.ChatServerRetain })
	if err := w.Delete(t.Context(), w.server()); err != nil {
		t.Fatal(err)
	}
	w.start()
	w.until("the operator lets it go", func() bool { return !w.exists("main", &v1alpha1.ChatServer{}) })
	if claim := (&corev1.PersistentVolumeClaim{}); !w.exists("data-main-postgres-0", claim) || claim.DeletionTimestamp != nil || !w.exists("main-postgres", &corev1.Secret{}) {
		t.Error("the data are gone")
	}
}

// nothingIsMade deletes a Deployment of a server that is being deleted, and checks that it isn't created again.
func (w *world) nothingIsMade() {
	w.t.Helper()
	w.quiet()
	d := &appsv1.Deployment{}
	if w.exists("main-api", d) {
		if err := w.Delete(w.t.Context(), d); err != nil {
			w.t.Fatal(err)
		}
	}
	n := w.writes.count()
	time.Sleep(500 * time.Millisecond)
	if w.exists("main-api", d) || w.writes.count() != n {
		w.t.Errorf("something is made for a server that is being deleted: %v", w.writes.since(n))
	}
}

// collected checks that all objects except data are removed with their owner, and that a new server with the same name
// uses the data again.
func (w *world) collected(uid types.UID) {
	w.t.Helper()
	for _, kind := range apply.Kinds() {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(kind)
		if err := w.List(w.t.Context(), list, client.InNamespace(w.namespace), client.MatchingLabels{v1alpha1.LabelInstance: "main"}); err != nil {
			w.t.Fatal(err)
		}
		for i := range list.Items {
			owner := metav1.GetControllerOf(&list.Items[i])
			if owner == nil || owner.UID != uid {
				w.t.Errorf("%s %s wouldn't be collected: %v", kind.Kind, list.Items[i].GetName(), owner)
			}
			if err := w.Delete(w.t.Context(), &list.Items[i]); err != nil {
				w.t.Fatal(err)
			}
		}
	}
	secret := &corev1.Secret{}
	w.get("main-postgres", secret)
	again := w.server2()
	w.install(again)
	now := &corev1.Secret{}
	w.get("main-postgres", now)
	if string(now.Data["password"]) != string(secret.Data["password"]) || now.UID != secret.UID {
		w.t.Error("the data weren't taken up again")
	}
}

// server2 returns another server with the same name.
func (w *world) server2() *v1alpha1.ChatServer {
	return &v1alpha1.ChatServer{ObjectMeta: w.meta("main"), Spec: v1alpha1.ChatServerSpec{
		Version: "0.1.0", Host: "chat.test",
		Database: v1alpha1.Database{Mode: v1alpha1.DatabaseEphemeral}, Cache: v1alpha1.Cache{Mode: v1alpha1.CacheEphemeral},
	}}
}

func TestEventsComeWithTransitionsOnly(t *testing.T) {
	w := newWorld(t)
	w.install(w.minimal())
	w.quiet()
	time.Sleep(300 * time.Millisecond)
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

// A lost password isn't replaced while there are data that need it.
func TestLostPasswordIsReported(t *testing.T) {
	w := newWorld(t)
	w.install(w.full())
	w.claim()
	before, secret := w.deployment("api").Generation, &corev1.Secret{}
	w.get("main-postgres", secret)
	if err := w.Delete(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	w.until("it says so", func() bool { return w.ready(v1alpha1.ReasonSecretNotFound) })
	c := w.condition(v1alpha1.ConditionStalled)
	if !strings.Contains(c.Message, "Secret main-postgres is missing") || !strings.Contains(c.Message, "data-main-postgres-0") || !strings.Contains(c.Message, "0.1.0 is still serving") {
		t.Errorf("Stalled says %q", c.Message)
	}
	if w.exists("main-postgres", &corev1.Secret{}) || w.deployment("api").Generation != before {
		t.Error("another password was made")
	}
	secret.ObjectMeta = metav1.ObjectMeta{Namespace: secret.Namespace, Name: secret.Name, Labels: secret.Labels}
	w.create(secret)
	w.until("it is restored", func() bool { return w.ready(v1alpha1.ReasonServing) })
	if w.deployment("api").Generation != before {
		t.Error("pods were replaced, though the password is the same")
	}
}

// A trial Redis reads its password when it starts, so its pod is replaced together with a lost password.
func TestLostPasswordOfRedisIsReplaced(t *testing.T) {
	w := newWorld(t)
	w.install(w.full())
	set, secret := &appsv1.StatefulSet{}, &corev1.Secret{}
	w.get("main-redis", set)
	w.get("main-redis", secret)
	before, lost := set.Spec.Template, secret.Data["password"]
	if err := w.Delete(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	w.until("there is another password", func() bool {
		return w.exists("main-redis", secret) && !bytes.Equal(secret.Data["password"], lost)
	})
	w.until("Redis is started again", func() bool {
		w.get("main-redis", set)
		return !equality.Semantic.DeepEqual(set.Spec.Template, before)
	})
	w.until("it is reported", func() bool {
		return strings.Contains(w.condition(v1alpha1.ConditionDriftRepaired).Message, "Secret main-redis was deleted")
	})
	w.until("it serves", func() bool { return w.ready(v1alpha1.ReasonServing) })
	if got := w.reasons()[v1alpha1.ReasonDriftRepaired]; got != 1 {
		t.Errorf("there are %d events", got)
	}
}

// A Secret of the operator that is deleted during a pass isn't reported as one that users must create.
func TestASecretGoesDuringAPass(t *testing.T) {
	w := newWorld(t)
	w.install(w.full())
	w.quiet()
	w.claim()
	secret, once, n := &corev1.Secret{}, sync.Once{}, w.writes.count()
	w.get("main-postgres", secret)
	w.writes.see(func(request *http.Request) {
		if strings.HasSuffix(request.URL.Path, "/secrets/main-postgres") {
			once.Do(func() {
				if err := w.Delete(t.Context(), secret); err != nil {
					t.Error(err)
				}
			})
		}
	})
	w.touch()
	w.until("it is reported", func() bool { return w.ready(v1alpha1.ReasonSecretNotFound) })
	w.quiet()
	for _, call := range w.writes.since(n) {
		if strings.Contains(call, "/chatservers/main/status") && !strings.Contains(call, "Secret main-postgres is missing") {
			t.Errorf("the status was %s", call)
		}
	}
}
