package chatserver_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/chatapi"
	"chatserver.dev/operator/internal/controller/chatserver"
	"chatserver.dev/operator/internal/inputs"
	"chatserver.dev/operator/internal/upgrade"
	"chatserver.dev/pkg/testbed"
)

// patience is the maximum time that a test waits for a condition.
const patience = time.Minute

// world is a namespace with its own operator. The test plays kubelet and the controllers of
// Kubernetes.
type world struct {
	client.Client
	t         *testing.T
	namespace string
	writes    *writes
	registry  *prometheus.Registry
	clock     clock.PassiveClock
	access    *rest.Config    // of the operator
	held      map[string]bool // objects that don't get on
	schema    string          // what a migration reports
	health    health          // what pods of api report
	stop      func()
}

// writes counts the requests of an operator that change something.
type writes struct {
	next  http.RoundTripper
	mutex sync.Mutex
	calls []string
	ended int                 // requests that were answered
	after func(*http.Request) // sees each request once it is answered; nil: nobody does
}

func (w *writes) RoundTrip(request *http.Request) (*http.Response, error) {
	// The lease and events aren't counted.
	if request.Method != http.MethodGet && !strings.Contains(request.URL.Path, "/events") {
		body := []byte(nil)
		if request.Body != nil {
			body, _ = io.ReadAll(request.Body)
			request.Body = io.NopCloser(bytes.NewReader(body))
		}
		w.mutex.Lock()
		w.calls = append(w.calls, fmt.Sprintf("%s %s %s", request.Method, request.URL.Path, body))
		w.mutex.Unlock()
	}
	response, err := w.next.RoundTrip(request)
	w.mutex.Lock()
	after := w.after
	if request.Method != http.MethodGet {
		w.ended++
	}
	w.mutex.Unlock()
	if after != nil {
		after(request)
	}
	return response, err
}

// see sets a function that is called after each answered request.
func (w *writes) see(after func(*http.Request)) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.after = after
}

func (w *writes) since(n int) []string {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return append([]string(nil), w.calls[n:]...)
}

func (w *writes) count() int { return len(w.since(0)) }

// answered returns the number of answered changes, including events.
func (w *writes) answered() int {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.ended
}

func scheme(t *testing.T) *runtime.Scheme {
	t.Helper()
	s := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(s); err != nil {
		t.Fatal(err)
	}
	if err := v1alpha1.AddToScheme(s); err != nil {
		t.Fatal(err)
	}
	return s
}

// clients returns one client for all tests, since each client would discover the API server's kinds again.
var clients struct {
	sync.Mutex
	admin client.Client
}

func admin(t *testing.T) client.Client {
	t.Helper()
	clients.Lock()
	defer clients.Unlock()
	if clients.admin == nil {
		c, err := client.New(cluster.Config, client.Options{Scheme: scheme(t)})
		if err != nil {
			t.Fatal(err)
		}
		clients.admin = c
	}
	return clients.admin
}

func newWorld(t *testing.T) *world {
	t.Helper()
	return newWorldAt(t, clock.RealClock{})
}

func newWorldAt(t *testing.T, clock clock.PassiveClock) *world {
	t.Helper()
	if !strings.Contains(t.Name(), "/") {
		t.Parallel()
	}
	c := admin(t)
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "chat-"}}
	if err := c.Create(t.Context(), namespace); err != nil {
		t.Fatal(err)
	}
	w := &world{
		Client: c, t: t, namespace: namespace.Name, held: map[string]bool{}, clock: clock,
		schema: `{"schema":3,"min_server_version":"0.1.0"}`,
	}
	access, err := cluster.OperatorIn(t.Context(), w.namespace)
	if err != nil {
		t.Fatal(err)
	}
	w.access = access
	w.start()
	t.Cleanup(func() { w.stop() })
	return w
}

// start runs an operator for the namespace.
func (w *world) start() {
	w.t.Helper()
	counted := &writes{}
	configuration := rest.CopyConfig(w.access)
	configuration.Wrap(func(next http.RoundTripper) http.RoundTripper {
		counted.next = next
		return counted
	})
	w.writes, w.registry = counted, prometheus.NewRegistry()
	logger := testbed.Logger(w.t)
	options := manager.Options{
		Scheme: scheme(w.t), Cache: chatserver.CacheOptions([]string{w.namespace}), Client: chatserver.ClientOptions(),
		Metrics: server.Options{BindAddress: "0"}, Logger: logr.FromSlogHandler(logger.Handler()),
		Controller: config.Controller{SkipNameValidation: ptr.To(true)},
	}
	m, err := ctrl.NewManager(configuration, options)
	if err != nil {
		w.t.Fatal(err)
	}
	err = chatserver.Add(w.t.Context(), m, chatserver.Options{
		Defaults: inputs.Defaults{Repository: "registry.test/chat", PostgresImage: "postgres:test", RedisImage: "redis:test"},
		Logger:   logger, Clock: w.clock, Registry: w.registry, Discovery: 200 * time.Millisecond,
		Servers: chatapi.NewServers(m.GetAPIReader(), nil, func(http.RoundTripper) http.RoundTripper { return &w.health }),
	})
	if err != nil {
		w.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- m.Start(ctx) }()
	w.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			w.t.Error(err)
		}
	})
}

// minimal returns a server with an external database and cache, whose Secrets exist.
func (w *world) minimal() *v1alpha1.ChatServer {
	w.t.Helper()
	w.create(&corev1.Secret{ObjectMeta: w.meta("db"), StringData: map[string]string{"url": "postgres://u:p@db.test:6432/chat", "ca": "a certificate"}})
	w.create(&corev1.Secret{ObjectMeta: w.meta("redis"), StringData: map[string]string{"url": "redis://:p@redis.test"}})
	return &v1alpha1.ChatServer{
		ObjectMeta: w.meta("main"),
		Spec: v1alpha1.ChatServerSpec{
			Version: "0.1.0", Host: "chat.test",
			Database: v1alpha1.Database{Mode: v1alpha1.DatabaseExternal, External: &v1alpha1.ExternalDatabase{
				SecretRef: v1alpha1.DatabaseSecret{Name: "db", Key: "url"}, CASecretRef: &v1alpha1.SecretKey{Name: "db", Key: "ca"},
			}},
			Cache: v1alpha1.Cache{Mode: v1alpha1.CacheExternal, External: &v1alpha1.ExternalCache{SecretRef: v1alpha1.SecretKey{Name: "redis", Key: "url"}}},
		},
	}
}

func (w *world) meta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: w.namespace, Name: name}
}

func (w *world) create(object client.Object) {
	w.t.Helper()
	if err := w.Create(w.t.Context(), object); err != nil {
		w.t.Fatal(err)
	}
}

// install creates a server and waits until it is available.
func (w *world) install(server *v1alpha1.ChatServer) {
	w.t.Helper()
	w.create(server)
	w.until("it serves", func() bool { return w.ready(v1alpha1.ReasonServing) })
}

// server reads the server again.
func (w *world) server() *v1alpha1.ChatServer {
	w.t.Helper()
	server := &v1alpha1.ChatServer{}
	w.get("main", server)
	return server
}

func (w *world) get(name string, into client.Object) {
	w.t.Helper()
	if err := w.Get(w.t.Context(), client.ObjectKey{Namespace: w.namespace, Name: name}, into); err != nil {
		w.t.Fatalf("read %T %s: %v", into, name, err)
	}
}

// exists reports whether an object exists, and reads it.
func (w *world) exists(name string, into client.Object) bool {
	w.t.Helper()
	err := w.Get(w.t.Context(), client.ObjectKey{Namespace: w.namespace, Name: name}, into)
	if err != nil && !apierrors.IsNotFound(err) {
		w.t.Fatal(err)
	}
	return err == nil
}

// change changes the server's spec or metadata like a user.
func (w *world) change(how func(*v1alpha1.ChatServer)) {
	w.t.Helper()
	server := w.server()
	before := server.DeepCopy()
	how(server)
	if err := w.Patch(w.t.Context(), server, client.MergeFrom(before)); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) condition(kind string) metav1.Condition {
	w.t.Helper()
	if c := meta.FindStatusCondition(w.server().Status.Conditions, kind); c != nil {
		return *c
	}
	return metav1.Condition{}
}

// ready reports whether the server's current spec is observed and Ready has this reason.
func (w *world) ready(reason string) bool {
	w.t.Helper()
	server := w.server()
	c := meta.FindStatusCondition(server.Status.Conditions, v1alpha1.ConditionReady)
	return c != nil && c.Reason == reason && c.ObservedGeneration == server.Generation
}

// playing calls play at once. The returned tick calls it whenever the operator has made changes, and reports whether it
// did. It also calls it at intervals, because of changes by the test.
func (w *world) playing() (tick func() bool) {
	seen, ticks := -1, 0
	return func() bool {
		w.t.Helper()
		n, due := w.writes.answered(), ticks%10 == 0
		ticks++
		if n == seen && !due {
			return false
		}
		seen = n
		w.play()
		return true
	}
}

// until waits for a condition, and plays Kubernetes meanwhile. It checks the condition only after possible changes,
// since each check is a request to the API server.
func (w *world) until(what string, got func() bool) {
	w.t.Helper()
	tick := w.playing()
	for deadline := time.Now().Add(patience); ; time.Sleep(30 * time.Millisecond) {
		if tick() && got() {
			return
		}
		if time.Now().After(deadline) {
			text := &strings.Builder{}
			for _, c := range w.server().Status.Conditions {
				fmt.Fprintf(text, "\n%s=%s %s: %s", c.Type, c.Status, c.Reason, c.Message)
			}
			w.t.Fatalf("timeout: %s; upgrade: %+v; conditions:%s", what, w.server().Status.Upgrade, text)
		}
	}
}

// quiet waits until the operator has made no changes for some time.
func (w *world) quiet() {
	w.t.Helper()
	tick := w.playing()
	for last, since := -1, time.Now(); time.Since(since) < 600*time.Millisecond; time.Sleep(30 * time.Millisecond) {
		tick()
		if n := w.writes.count(); n != last {
			last, since = n, time.Now()
		}
	}
}

// play acts as the Deployment, StatefulSet and Job controllers and kubelets, except for held objects.
func (w *world) play() {
	w.t.Helper()
	deployments, sets, jobs := &appsv1.DeploymentList{}, &appsv1.StatefulSetList{}, &batchv1.JobList{}
	for _, list := range []client.ObjectList{deployments, sets, jobs} {
		if err := w.List(w.t.Context(), list, client.InNamespace(w.namespace)); err != nil {
			w.t.Fatal(err)
		}
	}
	for i := range deployments.Items {
		if d := &deployments.Items[i]; !w.held[d.Name] {
			w.rollOut(d)
		}
	}
	for i := range sets.Items {
		if s := &sets.Items[i]; !w.held[s.Name] {
			w.status(s, func() {
				n := ptr.Deref(s.Spec.Replicas, 1)
				s.Status = appsv1.StatefulSetStatus{ObservedGeneration: s.Generation, Replicas: n, ReadyReplicas: n}
			})
		}
	}
	for i := range jobs.Items {
		if j := &jobs.Items[i]; !w.held[j.Name] && !w.held["jobs"] && len(j.Status.Conditions) == 0 && j.DeletionTimestamp == nil {
			w.finish(j, true, w.schema)
		}
	}
}

func (w *world) status(object client.Object, how func()) {
	w.t.Helper()
	before, _ := object.DeepCopyObject().(client.Object)
	how()
	patch := client.MergeFrom(before)
	if data, err := patch.Data(object); err != nil || string(data) == "{}" {
		return
	}
	if err := w.Status().Patch(w.t.Context(), object, patch); client.IgnoreNotFound(err) != nil {
		w.t.Fatal(err)
	}
}

// rollOut sets the status of a Deployment to all pods replaced and ready.
func (w *world) rollOut(d *appsv1.Deployment) {
	w.t.Helper()
	w.status(d, func() {
		n := ptr.Deref(d.Spec.Replicas, 1)
		d.Status.ObservedGeneration = d.Generation
		d.Status.Replicas, d.Status.UpdatedReplicas, d.Status.ReadyReplicas, d.Status.AvailableReplicas = n, n, n, n
		d.Status.Conditions = []appsv1.DeploymentCondition{{Type: appsv1.DeploymentProgressing, Status: corev1.ConditionTrue, Reason: "NewReplicaSetAvailable"}}
	})
}

// stuck sets the status of a Deployment to a missed deadline.
func (w *world) stuck(name string) {
	w.t.Helper()
	d := &appsv1.Deployment{}
	w.get(name, d)
	w.status(d, func() {
		d.Status.ObservedGeneration = d.Generation
		d.Status.UpdatedReplicas = 0
		d.Status.Conditions = []appsv1.DeploymentCondition{{Type: appsv1.DeploymentProgressing, Status: corev1.ConditionFalse, Reason: "ProgressDeadlineExceeded"}}
	})
}

// podLabels are the labels that select the pods of a component.
func podLabels(component string) map[string]string {
	return map[string]string{v1alpha1.LabelName: v1alpha1.Product, v1alpha1.LabelInstance: "main", v1alpha1.LabelComponent: component}
}

// pod creates a pod with the status of its first container.
func (w *world) pod(name string, labels map[string]string, status corev1.ContainerStatus) {
	w.t.Helper()
	pod := &corev1.Pod{ObjectMeta: w.meta(name), Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: status.Name, Image: "x"}}}}
	pod.Labels = labels
	if w.exists(name, &corev1.Pod{}) {
		return
	}
	w.create(pod)
	w.status(pod, func() { pod.Status.ContainerStatuses = []corev1.ContainerStatus{status} })
}

// podOf sets the phase of a Job's pod, and creates the pod if there is none.
func (w *world) podOf(job *batchv1.Job, phase corev1.PodPhase, state corev1.ContainerState) {
	w.t.Helper()
	name := job.Name + "-" + string(job.UID)[:5]
	w.pod(name, map[string]string{batchv1.JobNameLabel: job.Name, batchv1.ControllerUidLabel: string(job.UID)}, corev1.ContainerStatus{Name: "migrate"})
	pod := &corev1.Pod{}
	w.get(name, pod)
	w.status(pod, func() {
		pod.Status.Phase = phase
		pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "migrate", State: state}}
	})
}

// failOnce has the first pod of a Job fail with a termination message. The Job goes on.
func (w *world) failOnce(job *batchv1.Job, says string) {
	w.t.Helper()
	w.podOf(job, corev1.PodFailed, corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 1, Message: says}})
	w.status(job, func() { job.Status.Failed = 1 })
}

// finish ends a Job, whose pod has a termination message.
func (w *world) finish(job *batchv1.Job, well bool, says string) {
	w.t.Helper()
	phase, code := corev1.PodSucceeded, int32(0)
	if !well {
		phase, code = corev1.PodFailed, 1
	}
	w.podOf(job, phase, corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: code, Message: says}})
	w.status(job, func() {
		now := metav1.Now()
		job.Status.StartTime = &now
		if well {
			job.Status.Succeeded, job.Status.CompletionTime = 1, &now
			job.Status.Conditions = []batchv1.JobCondition{
				{Type: batchv1.JobSuccessCriteriaMet, Status: corev1.ConditionTrue}, {Type: batchv1.JobComplete, Status: corev1.ConditionTrue},
			}
			return
		}
		job.Status.Failed = 1
		job.Status.Conditions = []batchv1.JobCondition{
			{Type: batchv1.JobFailureTarget, Status: corev1.ConditionTrue},
			{
				Type: batchv1.JobFailed, Status: corev1.ConditionTrue, Reason: "BackoffLimitExceeded", Message: "Job has reached the specified backoff limit",
				LastTransitionTime: now,
			},
		}
	})
}

// job returns the Job of the latest version, and of several the latest one; nil: there is none.
func (w *world) job() *batchv1.Job {
	w.t.Helper()
	jobs := &batchv1.JobList{}
	if err := w.List(w.t.Context(), jobs, client.InNamespace(w.namespace)); err != nil {
		w.t.Fatal(err)
	}
	latest := (*batchv1.Job)(nil)
	for i := range jobs.Items {
		job := &jobs.Items[i]
		if job.DeletionTimestamp == nil && (latest == nil || cmp.Or(
			cmp.Compare(job.Annotations[upgrade.AnnotationVersion], latest.Annotations[upgrade.AnnotationVersion]),
			job.CreationTimestamp.Compare(latest.CreationTimestamp.Time)) > 0) {
			latest = job
		}
	}
	return latest
}

func (w *world) deployment(component string) *appsv1.Deployment {
	w.t.Helper()
	d := &appsv1.Deployment{}
	w.get("main-"+component, d)
	return d
}

// reasons counts the events about the server, by reason.
func (w *world) reasons() map[string]int {
	w.t.Helper()
	list := &eventsv1.EventList{}
	if err := w.List(w.t.Context(), list, client.InNamespace(w.namespace)); err != nil {
		w.t.Fatal(err)
	}
	reasons := map[string]int{}
	for i := range list.Items {
		reasons[list.Items[i].Reason]++
		if series := list.Items[i].Series; series != nil {
			reasons[list.Items[i].Reason] += int(series.Count) - 1
		}
	}
	return reasons
}

func raw(text string) *runtime.RawExtension { return &runtime.RawExtension{Raw: []byte(text)} }
