package chatserver_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/apply"
)

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

// key creates a Secret with the key of an account in a server.
func (w *world) key(name, server string) {
	w.t.Helper()
	secret := &corev1.Secret{ObjectMeta: w.meta(name)}
	secret.Labels = map[string]string{v1alpha1.LabelManagedBy: v1alpha1.Manager}
	secret.Annotations = map[string]string{v1alpha1.AnnotationCredentialsAt: w.namespace + "/" + server}
	w.create(secret)
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
			w.key("key", "main")
			w.key("key-elsewhere", "other")
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
			if there := w.exists("key", &corev1.Secret{}); there != c.data {
				t.Errorf("the Secret with a key of an account in the server is there: %v", there)
			}
			if !w.exists("db", &corev1.Secret{}) || !w.exists("key-elsewhere", &corev1.Secret{}) {
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

// It is no error that the status of a server that was deleted during a pass can't be written.
func TestAServerIsDeletedDuringAPass(t *testing.T) {
	w := newWorld(t)
	w.install(w.minimal())
	remove := sync.OnceValue(func() error { return w.Delete(t.Context(), &v1alpha1.ChatServer{ObjectMeta: w.meta("main")}) })
	written := make(chan struct{})
	end := sync.OnceFunc(func() { close(written) })
	w.writes.see(func(request *http.Request) {
		switch {
		case request.Method == http.MethodPatch && strings.HasSuffix(request.URL.Path, "/services/main-api"):
			if err := remove(); err != nil {
				t.Error(err)
			}
		case request.Method == http.MethodPut && strings.HasSuffix(request.URL.Path, "/chatservers/main/status"):
			end()
		}
	})
	if err := w.Delete(t.Context(), &corev1.Service{ObjectMeta: w.meta("main-api")}); err != nil {
		t.Fatal(err)
	}
	select {
	case <-written:
	case <-time.After(patience):
		t.Fatal("no status was written")
	}
	w.stop()
	if errors := w.errors.with("not found"); len(errors) > 0 {
		t.Errorf("logged errors: %q", errors)
	}
}

// Nothing can be created in a namespace that is terminating: that is no error, and isn't tried without end.
func TestANamespaceIsTerminating(t *testing.T) {
	w := newWorld(t)
	w.install(w.minimal())
	if err := w.Delete(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.namespace}}); err != nil {
		t.Fatal(err)
	}
	w.until("nothing can be created", func() bool {
		err := w.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: w.meta("probe")}, client.DryRunAll)
		return apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause)
	})
	for _, c := range []struct {
		object       client.Object
		method, path string
	}{
		{&corev1.Service{ObjectMeta: w.meta("main-api")}, http.MethodPatch, "/services/main-api"},
		{&corev1.Secret{ObjectMeta: w.meta("main-admin")}, http.MethodPost, "/secrets"},
	} {
		refused := make(chan struct{}, 100)
		w.writes.see(func(request *http.Request) {
			if request.Method == c.method && strings.HasSuffix(request.URL.Path, c.path) {
				refused <- struct{}{}
			}
		})
		if err := w.Delete(t.Context(), c.object); err != nil {
			t.Fatal(err)
		}
		select {
		case <-refused:
		case <-time.After(patience):
			t.Fatalf("%s %s: nothing was tried", c.method, c.path)
		}
		select {
		case <-refused:
			t.Errorf("%s %s was tried again at once", c.method, c.path)
		case <-time.After(300 * time.Millisecond):
		}
	}
	if got := w.repairs(); got != 0 {
		t.Errorf("%v repairs were counted, and none was made", got)
	}
	if errors := w.errors.with("Reconciler error"); len(errors) > 0 {
		t.Errorf("logged errors: %q", errors)
	}
}
