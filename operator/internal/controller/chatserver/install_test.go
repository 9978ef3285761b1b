package chatserver_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/apply"
)

func TestAServerIsInstalled(t *testing.T) {
	w := newWorld(t)
	w.install(w.minimal())
	server := w.server()
	if server.Status.Version != "0.1.0" || server.Status.Upgrade != nil || server.Status.Schema == nil || server.Status.Schema.MinServerVersion != "0.1.0" {
		t.Errorf("status %+v", server.Status)
	}
	if server.Status.ObservedGeneration != server.Generation {
		t.Errorf("observed generation %d of %d", server.Status.ObservedGeneration, server.Generation)
	}
	for _, kind := range []string{
		v1alpha1.ConditionReady, v1alpha1.ConditionDependenciesReady, v1alpha1.ConditionSecretsReady, v1alpha1.ConditionMigrationsApplied,
		v1alpha1.ConditionAvailable, v1alpha1.ConditionExposureReady, v1alpha1.ConditionTLSReady,
	} {
		if c := w.condition(kind); c.Status != "True" || c.ObservedGeneration != server.Generation {
			t.Errorf("condition %s: %+v", kind, c)
		}
	}
	for _, kind := range []string{v1alpha1.ConditionReconciling, v1alpha1.ConditionStalled, v1alpha1.ConditionPaused, v1alpha1.ConditionDriftRepaired} {
		if c := w.condition(kind); c.Type != "" {
			t.Errorf("condition %s is there: %+v", kind, c)
		}
	}
	if got := server.Status.API; got.Image != "registry.test/chat/api:0.1.0" || got.ReadyReplicas != 2 || got.Selector == "" {
		t.Errorf("status of api: %+v", got)
	}
	measured := `# HELP chatserver_operator_server_ready Whether a ChatServer is ready, with the reason of this condition.
# TYPE chatserver_operator_server_ready gauge
chatserver_operator_server_ready{reason="Serving",server="` + client.ObjectKeyFromObject(server).String() + `"} 1
# HELP chatserver_operator_server_tls_ready Whether the certificates of a ChatServer can be used, with the reason of this condition.
# TYPE chatserver_operator_server_tls_ready gauge
chatserver_operator_server_tls_ready{reason="CertificateReady",server="` + client.ObjectKeyFromObject(server).String() + `"} 1
`
	w.until("metrics show it as ready", func() bool { // by the cache
		return testutil.GatherAndCompare(w.registry, strings.NewReader(measured),
			"chatserver_operator_server_ready", "chatserver_operator_server_tls_ready") == nil
	})
}

// refuse writes an event as the controllers of Kubernetes do if they can't create a pod for an object.
func (w *world) refuse(object client.Object, ago time.Duration, message string) {
	w.t.Helper()
	at := metav1.NewTime(time.Now().Add(-ago))
	event := &corev1.Event{
		InvolvedObject: corev1.ObjectReference{Namespace: w.namespace, Name: object.GetName(), UID: object.GetUID()},
		Reason:         "FailedCreate", Message: message, FirstTimestamp: at, LastTimestamp: at,
	}
	event.Namespace, event.GenerateName = w.namespace, object.GetName()+"-"
	w.create(event)
}

// waits returns when the message of Ready contains a text.
func (w *world) waits(text string) {
	w.t.Helper()
	w.until(text, func() bool { return strings.Contains(w.condition(v1alpha1.ConditionReady).Message, text) })
}

// Kubernetes replaces the pod of a StatefulSet that isn't ready, such as one without an image, only if the policy is
// Parallel.
func TestTrialServersCanBeCorrected(t *testing.T) {
	w := newWorld(t)
	w.install(w.full())
	for _, name := range []string{"main-postgres", "main-redis"} {
		set := &appsv1.StatefulSet{}
		w.get(name, set)
		if set.Spec.PodManagementPolicy != appsv1.ParallelPodManagement {
			t.Errorf("the policy of %s is %s", name, set.Spec.PodManagementPolicy)
		}
	}
	w.change(func(s *v1alpha1.ChatServer) {
		s.Spec.Database.Ephemeral = &v1alpha1.Trial{Image: "postgres:other", StorageSize: resource.MustParse("1Gi")}
	})
	w.until("it has the other image", func() bool {
		set := &appsv1.StatefulSet{}
		w.get("main-postgres", set)
		return set.Spec.Template.Spec.Containers[0].Image == "postgres:other" && w.ready(v1alpha1.ReasonServing)
	})
}

// A StatefulSet that another release has created, with a field that can't be changed, is replaced. Its pods stay, and it isn't taken for one
// that somebody has deleted.
func TestImmutableStatefulSetsAreReplaced(t *testing.T) {
	w := newWorld(t)
	w.install(w.full())
	w.change(func(s *v1alpha1.ChatServer) { s.Spec.State = v1alpha1.StatePaused })
	w.until("it is paused", func() bool { return w.ready(v1alpha1.ReasonPaused) })
	set := &appsv1.StatefulSet{}
	w.get("main-redis", set)
	if err := w.Delete(t.Context(), set); err != nil {
		t.Fatal(err)
	}
	w.until("it is gone", func() bool { return !w.exists("main-redis", &appsv1.StatefulSet{}) })
	set.Spec.PodManagementPolicy, set.ManagedFields, set.ResourceVersion, set.UID = appsv1.OrderedReadyPodManagement, nil, "", ""
	set.SetGroupVersionKind(appsv1.SchemeGroupVersion.WithKind("StatefulSet"))
	for name := range set.Annotations {
		set.Annotations[name] = "of another release"
	}
	object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(set)
	if err != nil {
		t.Fatal(err)
	}
	delete(object, "status")
	before := client.ApplyConfigurationFromUnstructured(&unstructured.Unstructured{Object: object})
	if err := w.Apply(t.Context(), before, client.FieldOwner(v1alpha1.Manager)); err != nil {
		t.Fatal(err)
	}
	w.change(func(s *v1alpha1.ChatServer) { s.Spec.State = v1alpha1.StateRunning })
	detached := false
	w.until("it is replaced", func() bool {
		if !w.exists("main-redis", set) {
			return false
		}
		if set.DeletionTimestamp != nil && slices.Contains(set.Finalizers, metav1.FinalizerOrphanDependents) { // the garbage collector
			detached = true
			w.patch(set, `{"metadata":{"finalizers":null}}`)
			return false
		}
		return set.Spec.PodManagementPolicy == appsv1.ParallelPodManagement && w.ready(v1alpha1.ReasonServing)
	})
	if !detached || w.repairs() != 0 {
		t.Errorf("pods stay: %t, repairs: %v", detached, w.repairs())
	}
}

// Labels of the spec reach what exists already: Secrets, and StatefulSets with the templates of their claims, which are replaced for it.
func TestCommonLabelsOfAServerThatServes(t *testing.T) {
	w := newWorld(t)
	w.install(w.full())
	job := w.server().Status.Schema.Migration
	w.change(func(s *v1alpha1.ChatServer) {
		s.Spec.CommonLabels = map[string]v1alpha1.LabelValue{"corp.example/team": "chat"}
		s.Spec.CommonAnnotations = map[string]v1alpha1.AnnotationValue{"corp.example/cost": "a b"}
	})
	marked := func(object metav1.Object) bool {
		return object.GetLabels()["corp.example/team"] == "chat" && object.GetAnnotations()["corp.example/cost"] == "a b"
	}
	w.until("all have them", func() bool {
		for _, name := range []string{"main-postgres", "main-redis"} {
			set := &appsv1.StatefulSet{}
			if !w.exists(name, set) {
				return false
			}
			if set.DeletionTimestamp != nil { // the garbage collector
				w.patch(set, `{"metadata":{"finalizers":null}}`)
				return false
			}
			if !marked(&set.Spec.VolumeClaimTemplates[0]) {
				return false
			}
		}
		secret := &corev1.Secret{}
		w.get("main-admin", secret)
		return marked(secret) && marked(w.deployment("api")) && w.ready(v1alpha1.ReasonServing)
	})
	if got := w.repairs(); got != 0 {
		t.Errorf("%v repairs were counted", got)
	}
	if again := w.server().Status.Schema.Migration; again != job {
		t.Errorf("the migration %s ran after %s", again, job)
	}
}

// The services of a new server start at once, and so do those of one that wakes up.
func TestNewServicesStartAtOnce(t *testing.T) {
	w := newWorld(t)
	starts := func(component string) bool {
		d := &appsv1.Deployment{}
		return w.exists("main-"+component, d) && *d.Spec.Replicas > 0
	}
	start := func(how func()) {
		t.Helper()
		w.held["main-api"] = true
		how()
		w.until("all services start", func() bool { return starts("api") && starts("events") && starts("webhook") })
		w.waits("Deployment main-api is replacing its pods")
		delete(w.held, "main-api")
		w.until("it serves", func() bool { return w.ready(v1alpha1.ReasonServing) })
	}
	start(func() { w.create(w.full()) })
	w.change(func(s *v1alpha1.ChatServer) { s.Spec.State = v1alpha1.StateHibernated })
	w.until("it sleeps", func() bool { return w.ready(v1alpha1.ReasonHibernated) })
	start(func() { w.change(func(s *v1alpha1.ChatServer) { s.Spec.State = v1alpha1.StateRunning }) })
}

// If a quota or a policy allows no pods, the conditions have its message: for the StatefulSets of a trial, the
// migration's Job, and Deployments.
func TestRefusedPodsAreReported(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"main-postgres", "jobs", "main-api"} {
		w.held[name] = true
	}
	w.create(w.full())
	set := &appsv1.StatefulSet{}
	w.until("it waits", func() bool { return w.ready(v1alpha1.ReasonWaitingForDatabase) && w.exists("main-postgres", set) })
	w.refuse(set, time.Minute, "an earlier quota")
	w.refuse(set, 0, "exceeded quota: pods")
	w.change(func(s *v1alpha1.ChatServer) { s.Annotations = map[string]string{v1alpha1.AnnotationRetry: "1"} })
	w.waits("StatefulSet main-postgres has no ready pod yet: exceeded quota: pods")
	delete(w.held, "main-postgres")

	w.until("it waits for the Job", func() bool { return w.ready(v1alpha1.ReasonMigrationRunning) && w.job() != nil })
	w.refuse(w.job(), 0, "must specify limits.cpu")
	w.touch()
	w.waits("is migrating the schema to 0.1.0: must specify limits.cpu")
	delete(w.held, "jobs")

	w.until("it waits for api", func() bool { return w.ready(v1alpha1.ReasonRolloutRunning) })
	d := w.deployment("api")
	refusal := appsv1.DeploymentCondition{Type: appsv1.DeploymentReplicaFailure, Status: corev1.ConditionTrue, Reason: "FailedCreate", Message: "maximum memory usage"}
	w.status(d, func() { d.Status.Conditions = []appsv1.DeploymentCondition{refusal} })
	w.waits("Deployment main-api is replacing its pods: maximum memory usage")
	w.stuck("main-api")
	w.until("it is stalled", func() bool { return w.ready(v1alpha1.ReasonRolloutFailed) })
	if c := w.condition(v1alpha1.ConditionStalled); strings.Contains(c.Message, "previous pods") {
		t.Errorf("there were no pods before, and Stalled says %s", c.Message)
	}
	delete(w.held, "main-api")
	w.until("it serves", func() bool { return w.ready(v1alpha1.ReasonServing) })

	w.held["main-api"] = true
	d = w.deployment("api")
	w.status(d, func() {
		d.Status.ReadyReplicas, d.Status.AvailableReplicas = 0, 0
		d.Status.Conditions = append(d.Status.Conditions, refusal)
	})
	w.waits("Deployment main-api has no ready pod: maximum memory usage")
}

// versions returns the resource versions of all objects that the operator has created.
func (w *world) versions() map[string]string {
	w.t.Helper()
	versions := map[string]string{}
	for _, kind := range apply.Kinds() {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(kind)
		if err := w.List(w.t.Context(), list, client.InNamespace(w.namespace), client.MatchingLabels{v1alpha1.LabelInstance: "main"}); err != nil {
			w.t.Fatal(err)
		}
		for _, object := range list.Items {
			versions[kind.Kind+"/"+object.GetName()] = object.GetResourceVersion()
		}
	}
	secrets := &corev1.SecretList{}
	if err := w.List(w.t.Context(), secrets, client.InNamespace(w.namespace)); err != nil {
		w.t.Fatal(err)
	}
	for i := range secrets.Items {
		versions["Secret/"+secrets.Items[i].Name] = secrets.Items[i].ResourceVersion
	}
	versions["ChatServer/main"] = w.server().ResourceVersion
	return versions
}
