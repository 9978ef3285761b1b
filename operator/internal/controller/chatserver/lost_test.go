package chatserver_test

import (
	"bytes"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"chatserver.dev/operator/api/v1alpha1"
)

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

// What is deleted with a server isn't created again by a pass that began before.
func TestAServerGoesDuringAPass(t *testing.T) {
	w := newWorld(t)
	w.install(w.full())
	w.quiet()
	once, gone := sync.Once{}, make(chan struct{})
	w.writes.see(func(request *http.Request) {
		if !strings.HasSuffix(request.URL.Path, "/secrets/main-postgres") {
			return
		}
		once.Do(func() {
			defer close(gone)
			for _, object := range []client.Object{w.server(), &appsv1.StatefulSet{ObjectMeta: w.meta("main-postgres")}, &appsv1.StatefulSet{ObjectMeta: w.meta("main-redis")}} {
				if err := w.Delete(t.Context(), object); err != nil { // what the garbage collector does
					t.Error(err)
				}
			}
			time.Sleep(time.Second) // until the operator's cache knows
		})
	})
	w.touch()
	<-gone
	w.quiet()
	if w.exists("main-postgres", &appsv1.StatefulSet{}) || w.exists("main-redis", &appsv1.StatefulSet{}) {
		t.Error("pods were started for a server that is gone")
	}
	if got := w.reasons()[v1alpha1.ReasonDriftRepaired]; got != 0 {
		t.Errorf("there are %d events", got)
	}
}
