package chatserver_test

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
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
	discovery time.Duration   // how often it discovers optional kinds
	held      map[string]bool // objects that don't get on
	schema    string          // what a migration reports
	health    health          // what pods of api report
	errors    *keptErrors     // that the operator has logged
	stop      func()
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

// newWorldAt is newWorld with another clock of the operator.
func newWorldAt(t *testing.T, clock clock.PassiveClock) *world {
	t.Helper()
	return startWorld(t, clock, time.Hour)
}

// newDiscoveringWorld is newWorld with an operator that soon notices kinds that are installed, at a request for each kind every time.
func newDiscoveringWorld(t *testing.T) *world {
	t.Helper()
	return startWorld(t, clock.RealClock{}, 200*time.Millisecond)
}

func startWorld(t *testing.T, clock clock.PassiveClock, discovery time.Duration) *world {
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
		schema: `{"schema":3,"min_server_version":"0.1.0"}`, discovery: discovery,
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
	w.errors = &keptErrors{}
	logger := slog.New(errorLog{testbed.Logger(w.t).Handler(), w.errors})
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
		Logger:   logger, Clock: w.clock, Registry: w.registry, Discovery: w.discovery,
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
	authority := string(certificate(w.t, "db.test", time.Now().AddDate(1, 0, 0))["tls.crt"])
	w.create(&corev1.Secret{ObjectMeta: w.meta("db"), StringData: map[string]string{"url": "postgres://u:p@db.test:6432/chat", "ca": authority}})
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

// full returns a server with an object of each kind.
func (w *world) full() *v1alpha1.ChatServer {
	w.t.Helper()
	server := w.minimal()
	server.Spec.Database = v1alpha1.Database{Mode: v1alpha1.DatabaseEphemeral}
	server.Spec.Cache = v1alpha1.Cache{Mode: v1alpha1.CacheEphemeral}
	server.Spec.Exposure = &v1alpha1.Exposure{Scheme: "http", Ingress: &v1alpha1.IngressExposure{ClassName: "nginx"}}
	server.Spec.Events.Autoscaling = &v1alpha1.Autoscaling{MinReplicas: 3, MaxReplicas: 9}
	return server
}

// touch makes the operator reconcile the server again, without a relevant change.
func (w *world) touch() {
	w.t.Helper()
	service := &corev1.Service{}
	w.get("main-api", service)
	before := service.DeepCopy()
	service.Annotations["test/touched"] = time.Now().String()
	if err := w.Patch(w.t.Context(), service, client.MergeFrom(before)); err != nil {
		w.t.Fatal(err)
	}
}
