package remote_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/chatapi"
	"chatserver.dev/operator/internal/controller/chatserver"
	"chatserver.dev/operator/internal/controller/remote"
	"chatserver.dev/operator/internal/secrets"
	"chatserver.dev/pkg/adminclient"
)

// patience is how long the tests' deletions are tried again.
const patience = 3 * time.Second

// world is a namespace with a ChatServer that stands for the shared server, and the reconcilers running on it.
type world struct {
	t         *testing.T
	client    client.Client
	namespace string
	server    *v1alpha1.ChatServer
	chat      *chatServer
	secured   atomic.Pointer[string] // its address over TLS, where a test has one; otherwise it is called over HTTP
	admin     *adminclient.Client    // past the faults
	faults    *faults
	clock     *movedClock
	metrics   *prometheus.Registry
}

// options change what newWorld sets up.
type options struct {
	abroad  []string // further namespaces, by what comes after the world's own name
	single  bool     // the operator watches single namespaces
	resync  time.Duration
	stopped bool                                      // the reconcilers don't run until start is called
	through func(http.RoundTripper) http.RoundTripper // wraps the reconcilers' calls of the API server
	logger  logr.Logger                               // of the reconcilers
}

func newWorld(t *testing.T, o options) *world {
	t.Helper()
	t.Parallel()
	chat := sharedServer(t)
	w := &world{
		t: t, chat: chat, namespace: "t" + rand.String(8), faults: &faults{},
		clock: &movedClock{}, metrics: prometheus.NewRegistry(),
	}
	var err error
	if w.client, err = client.New(cluster.Config, client.Options{Scheme: newScheme(t)}); err != nil {
		t.Fatal(err)
	}
	if w.admin, err = adminclient.New(chat.admin, adminToken, nil); err != nil {
		t.Fatal(err)
	}
	for _, name := range append([]string{""}, o.abroad...) {
		w.create(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.namespace + name, Labels: map[string]string{"team": name}}})
	}
	w.adminSecret("main-admin", adminToken+"\nanother-token-in-its-grace\n")
	w.server = &v1alpha1.ChatServer{ObjectMeta: w.meta("main"), Spec: v1alpha1.ChatServerSpec{
		Version: "0.1.0", Host: chatHost,
		Database: v1alpha1.Database{Mode: v1alpha1.DatabaseEphemeral}, Cache: v1alpha1.Cache{Mode: v1alpha1.CacheEphemeral},
	}}
	w.create(w.server)
	w.available(true)
	if !o.stopped {
		w.start(o)
	}
	return w
}

// start runs the reconcilers until the test ends or stop is called.
func (w *world) start(o options) (stop func()) {
	w.t.Helper()
	namespaces := []string{w.namespace}
	for _, name := range o.abroad {
		namespaces = append(namespaces, w.namespace+name)
	}
	watched := []string(nil)
	if o.single {
		watched = namespaces
	}
	access := cluster.Operator()
	if o.through != nil {
		access.Wrap(o.through)
	}
	m, err := ctrl.NewManager(access, ctrl.Options{
		Scheme: newScheme(w.t), Metrics: server.Options{BindAddress: "0"}, Cache: chatserver.CacheOptions(namespaces), Client: chatserver.ClientOptions(),
		Controller: config.Controller{SkipNameValidation: new(true)}, Logger: o.logger,
	})
	if err != nil {
		w.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(w.t.Context())
	address := func(server *v1alpha1.ChatServer) string {
		if server.Name != "main" {
			return "http://" + server.Name
		}
		return cmp.Or(ptr.Deref(w.secured.Load(), ""), w.chat.admin)
	}
	err = remote.Add(ctx, m, remote.Deps{
		Servers: chatapi.NewServers(m.GetClient(), address, w.faults.wrap), Clock: w.clock, Metrics: w.metrics, Namespaces: watched,
		Resync: o.resync, Patience: patience,
	})
	if err != nil {
		w.t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- m.Start(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			w.t.Errorf("the manager ended with %v", err)
		}
	})
	w.t.Cleanup(stop)
	return stop
}

// adminSecret creates the Secret of a server's admin interface.
func (w *world) adminSecret(name, tokens string) {
	w.t.Helper()
	certificate, _, err := secrets.Certificate{}.Next([]string{"test"}, "", 0, time.Now())
	if err != nil {
		w.t.Fatal(err)
	}
	w.create(&corev1.Secret{ObjectMeta: w.meta(name), StringData: map[string]string{"tokens": tokens, "ca.crt": string(certificate.Trusted)}})
}

func (w *world) meta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: w.namespace, Name: name}
}

func (w *world) create(objects ...client.Object) {
	w.t.Helper()
	for _, object := range objects {
		if err := w.client.Create(w.t.Context(), object); err != nil {
			w.t.Fatal(err)
		}
	}
}

// change reads an object, changes it and writes it back.
func change[O client.Object](w *world, object O, how func(O)) {
	w.t.Helper()
	w.eventually("change "+object.GetName(), func() error {
		if err := w.client.Get(w.t.Context(), client.ObjectKeyFromObject(object), object); err != nil {
			return err
		}
		how(object)
		return w.client.Update(w.t.Context(), object)
	})
}

// touch changes an annotation of an object, so that it is reconciled.
func touch(w *world, object client.Object) {
	w.t.Helper()
	patch := fmt.Appendf(nil, `{"metadata":{"annotations":{"test/poke":%q}}}`, rand.String(8))
	if err := w.client.Patch(w.t.Context(), object, client.RawPatch(types.MergePatchType, patch)); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) delete(object client.Object) {
	w.t.Helper()
	if err := w.client.Delete(w.t.Context(), object); err != nil {
		w.t.Fatal(err)
	}
}

// waitGone waits until an object isn't there any more.
func (w *world) waitGone(object client.Object) {
	w.t.Helper()
	w.eventually(object.GetName()+" goes", func() error {
		err := w.client.Get(w.t.Context(), client.ObjectKeyFromObject(object), object)
		if apierrors.IsNotFound(err) {
			return nil
		}
		return errors.Join(errors.New("it is still there"), err)
	})
}

// available sets the condition Available of the ChatServer.
func (w *world) available(ok bool) {
	w.t.Helper()
	w.serves(w.server, ok)
}

// serves sets the condition Available of a ChatServer, as the operator's other controller would.
func (w *world) serves(server *v1alpha1.ChatServer, ok bool) {
	w.t.Helper()
	status := metav1.ConditionFalse
	if ok {
		status = metav1.ConditionTrue
	}
	w.eventually("say whether the server serves", func() error {
		if err := w.client.Get(w.t.Context(), client.ObjectKeyFromObject(server), server); err != nil {
			return err
		}
		meta.SetStatusCondition(&server.Status.Conditions, metav1.Condition{Type: v1alpha1.ConditionAvailable, Status: status, Reason: "Test"})
		return w.client.Status().Update(w.t.Context(), server)
	})
}

// eventually waits until something succeeds. Where a password is hashed, that takes long on a busy machine, because the server
// does it with the lowest priority.
func (w *world) eventually(what string, try func() error) {
	w.t.Helper()
	err := error(nil)
	for start := time.Now(); time.Since(start) < 2*time.Minute; time.Sleep(30 * time.Millisecond) {
		if err = try(); err == nil {
			return
		}
	}
	w.t.Fatalf("%s: %v", what, err)
}

// waitForStatus waits until Ready of an object has a status and a reason for its present generation, and returns its
// message.
func (w *world) waitForStatus(object remote.Object, status metav1.ConditionStatus, reason string) string {
	w.t.Helper()
	message := ""
	w.eventually(fmt.Sprintf("%T %s becomes %s, %s", object, object.GetName(), status, reason), func() error {
		if err := w.client.Get(w.t.Context(), client.ObjectKeyFromObject(object), object); err != nil {
			return err
		}
		ready := meta.FindStatusCondition(object.Guest().Conditions, v1alpha1.ConditionReady)
		if ready == nil || ready.Status != status || ready.Reason != reason || ready.ObservedGeneration != object.GetGeneration() ||
			object.Guest().ObservedGeneration != object.GetGeneration() {
			return fmt.Errorf("generation %d, Ready %+v", object.GetGeneration(), ready)
		}
		message = ready.Message
		return nil
	})
	return message
}

func (w *world) waitReady(objects ...remote.Object) {
	w.t.Helper()
	for _, object := range objects {
		w.waitForStatus(object, metav1.ConditionTrue, v1alpha1.ReasonSynced)
	}
}

// trueConditions returns which of the conditions Reconciling, Stalled and Paused an object has.
func trueConditions(object remote.Object) (names []string) {
	for _, name := range []string{v1alpha1.ConditionReconciling, v1alpha1.ConditionStalled, v1alpha1.ConditionPaused} {
		if meta.IsStatusConditionTrue(object.Guest().Conditions, name) {
			names = append(names, name)
		}
	}
	return names
}

// secret returns a Secret's data as strings.
func (w *world) secret(name string) map[string]string {
	w.t.Helper()
	secret := &corev1.Secret{}
	if err := w.client.Get(w.t.Context(), client.ObjectKey{Namespace: w.namespace, Name: name}, secret); err != nil {
		w.t.Fatal(err)
	}
	text := map[string]string{}
	for key, value := range secret.Data {
		text[key] = string(value)
	}
	return text
}

// keyWorks reports whether the server accepts the key in a Secret's data.
func (w *world) keyWorks(of map[string]string) bool {
	w.t.Helper()
	status, answer := w.chat.call(w.t, http.MethodGet, of["site"]+"/api/v1/users/me", of["email"], of["api-key"], "")
	if status != http.StatusOK && status != http.StatusUnauthorized {
		w.t.Fatalf("%d %s", status, answer)
	}
	return status == http.StatusOK
}

// events returns the reasons of the events about an object, in order.
func (w *world) events(object client.Object) (reasons []string) {
	w.t.Helper()
	list := &eventsv1.EventList{}
	if err := w.client.List(w.t.Context(), list, client.InNamespace(object.GetNamespace())); err != nil {
		w.t.Fatal(err)
	}
	slices.SortFunc(list.Items, func(a, b eventsv1.Event) int { return a.EventTime.Compare(b.EventTime.Time) })
	for i := range list.Items {
		if list.Items[i].Regarding.UID == object.GetUID() {
			reasons = append(reasons, list.Items[i].Reason)
		}
	}
	return reasons
}

// note returns the text of an event about an object; empty: there is none.
func (w *world) note(object client.Object, reason string) string {
	w.t.Helper()
	list := &eventsv1.EventList{}
	if err := w.client.List(w.t.Context(), list, client.InNamespace(object.GetNamespace())); err != nil {
		w.t.Fatal(err)
	}
	for i := range list.Items {
		if list.Items[i].Regarding.UID == object.GetUID() && list.Items[i].Reason == reason {
			return list.Items[i].Note
		}
	}
	return ""
}

// waitForEvent waits for an event about an object.
func (w *world) waitForEvent(object client.Object, reason string) {
	w.t.Helper()
	w.eventually("an event "+reason, func() error {
		if reasons := w.events(object); !slices.Contains(reasons, reason) {
			return fmt.Errorf("there are %v", reasons)
		}
		return nil
	})
}

// errUnchanged is returned to eventually by checks that have nothing more to report.
var errUnchanged = errors.New("nothing has changed yet")

// repairs returns the metric of repaired drift for a kind of object.
func (w *world) repairs(kind string) float64 {
	w.t.Helper()
	families, err := w.metrics.Gather()
	if err != nil {
		w.t.Fatal(err)
	}
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			if family.GetName() == "chatserver_operator_guest_repairs_total" && metric.GetLabel()[0].GetValue() == kind {
				return metric.GetCounter().GetValue()
			}
		}
	}
	return 0
}

func isReady(object remote.Object) bool {
	return meta.IsStatusConditionTrue(object.Guest().Conditions, v1alpha1.ConditionReady)
}

// objects returns the items of a list.
func objects(t *testing.T, list client.ObjectList) (all []client.Object) {
	t.Helper()
	items, err := meta.ExtractList(list)
	if err != nil {
		t.Fatal(err)
	}
	for _, item := range items {
		object, ok := item.(client.Object)
		if !ok {
			t.Fatalf("%T is no object", item)
		}
		all = append(all, object)
	}
	return all
}

// movedClock is the real clock plus what a test adds to it.
type movedClock struct{ by atomic.Int64 }

// Now implements clock.PassiveClock.
func (c *movedClock) Now() time.Time { return time.Now().Add(time.Duration(c.by.Load())) }

// Since implements clock.PassiveClock.
func (c *movedClock) Since(then time.Time) time.Duration { return c.Now().Sub(then) }

func (c *movedClock) advance(by time.Duration) { c.by.Add(int64(by)) }
