package remote_test

import (
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/controller/remote"
)

func TestWhatIsInTheServerGoesAsThePolicySays(t *testing.T) {
	w := newWorld(t, options{})
	eng, archived, kept := w.organization("eng"), w.stream("archived"), w.stream("kept")
	archived.Spec.DeletionPolicy = v1alpha1.StreamArchive
	dead, alive := w.bot("dead"), w.bot("alive")
	alive.Spec.DeletionPolicy = v1alpha1.BotRetain
	all := []remote.Object{archived, kept, dead, alive}
	w.create(eng, archived, kept, dead, alive)
	w.waitReady(eng)
	w.waitReady(all...)
	was := map[string]map[string]string{"dead": w.secret("dead-key"), "alive": w.secret("alive-key")}
	for _, object := range all {
		w.delete(object)
	}
	for _, object := range all {
		w.waitGone(object)
	}
	if _, err := w.admin.Streams(w.key(eng)).Get(t.Context(), w.key(archived)); err == nil {
		t.Error("the archived stream still has its key")
	}
	if got, err := w.admin.Streams(w.key(eng)).Get(t.Context(), w.key(kept)); err != nil || !got.Active {
		t.Errorf("%v, %+v", err, got)
	}
	w.eventually("the bot's key ends", func() error {
		if w.keyWorks(was["dead"]) {
			return errUnchanged
		}
		return nil
	})
	if !w.keyWorks(was["alive"]) {
		t.Error("the key of the bot that stays doesn't work")
	}
	// Its Secret stays with it: nobody owns it.
	secret := &corev1.Secret{}
	if err := w.client.Get(t.Context(), client.ObjectKey{Namespace: w.namespace, Name: "alive-key"}, secret); err != nil || len(secret.OwnerReferences) != 0 {
		t.Errorf("%v, %+v", err, secret.OwnerReferences)
	}
	again := w.bot("alive")
	w.create(again)
	w.waitReady(again)
	if w.secret("alive-key")["api-key"] != was["alive"]["api-key"] || again.Status.ID != alive.Status.ID {
		t.Error("it was created again")
	}
}

// If an Organization that stays in the server is deleted together with its bots, their keys end nevertheless, whatever is
// deleted first.
func TestWhatIsDeletedWithItsOrganizationGoesFirst(t *testing.T) {
	w := newWorld(t, options{})
	eng, bot, hook := w.organization("eng"), w.bot("deploy"), w.webhook()
	w.create(eng, w.stream("alerts"), bot, hook)
	w.waitReady(eng, bot, hook)
	was := w.secret("deploy-key")
	w.delete(eng)
	w.waitForStatus(eng, metav1.ConditionFalse, v1alpha1.ReasonDeleting)
	w.delete(bot)
	w.delete(hook)
	for _, object := range []remote.Object{bot, hook, eng} {
		w.waitGone(object)
	}
	w.waitForEvent(eng, v1alpha1.ReasonRetained)
	w.eventually("the bot's key ends", func() error {
		if w.keyWorks(was) {
			return errUnchanged
		}
		return nil
	})
	if got, err := w.admin.Bots(w.key(eng)).Get(t.Context(), w.key(bot)); err == nil && got.Active {
		t.Errorf("the bot is still active: %+v", got)
	}
}

func TestDeletionGivesUp(t *testing.T) {
	w := newWorld(t, options{})
	eng, bot := w.organization("eng"), w.bot("deploy")
	w.create(eng, bot)
	w.waitReady(eng, bot)
	w.faults.set(respondWith(500, "DELETE"))
	w.delete(bot)
	w.waitForStatus(bot, metav1.ConditionFalse, v1alpha1.ReasonDeletionBlocked)
	if text := w.waitForStatus(bot, metav1.ConditionFalse, v1alpha1.ReasonDeletionBlocked); !strings.Contains(text, "the reason") {
		t.Error(text)
	}
	w.clock.advance(2 * patience)
	w.waitGone(bot)
	w.waitForEvent(bot, v1alpha1.ReasonDeletionGivenUp)
	if got, err := w.admin.Bots(w.key(eng)).Get(t.Context(), w.key(bot)); err != nil || !got.Active {
		t.Errorf("%v, %+v", err, got)
	}
}

func TestDeletionContinuesWhenTheServerIsBack(t *testing.T) {
	w := newWorld(t, options{})
	eng, bot := w.organization("eng"), w.bot("deploy")
	w.create(eng, bot)
	w.waitReady(eng, bot)
	was := w.secret("deploy-key")
	w.faults.set(refuseConnection)
	w.delete(bot)
	w.waitForStatus(bot, metav1.ConditionFalse, v1alpha1.ReasonDeletionBlocked)
	w.faults.set(nil)
	w.waitGone(bot)
	w.eventually("the key ends", func() error {
		if w.keyWorks(was) {
			return errUnchanged
		}
		return nil
	})
}

// An object can be deleted even if its server or organization is gone or hibernated.
func TestDeletionNeedsNoServer(t *testing.T) {
	cases := map[string]func(w *world, eng *v1alpha1.Organization){
		"server gone": func(w *world, _ *v1alpha1.Organization) { w.delete(w.server); w.waitGone(w.server) },
		"server hibernated": func(w *world, _ *v1alpha1.Organization) {
			change(w, w.server, func(s *v1alpha1.ChatServer) { s.Spec.State = v1alpha1.StateHibernated })
		},
		"server going": func(w *world, _ *v1alpha1.Organization) {
			change(w, w.server, func(s *v1alpha1.ChatServer) { s.Finalizers = []string{"test/holds-it"} })
			w.delete(w.server)
		},
		"organization gone": func(w *world, eng *v1alpha1.Organization) { w.delete(eng); w.waitGone(eng) },
		"organization going": func(w *world, eng *v1alpha1.Organization) {
			change(w, eng, func(o *v1alpha1.Organization) {
				o.Finalizers, o.Spec.DeletionPolicy = append(o.Finalizers, "test/holds-it"), v1alpha1.OrganizationDelete
			})
			w.delete(eng)
			w.waitForEvent(eng, v1alpha1.ReasonDeleting)
		},
	}
	for name, how := range cases {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, options{})
			eng, stream, bot, hook := w.organization("eng"), w.stream("alerts"), w.bot("deploy"), w.webhook()
			stream.Spec.DeletionPolicy = v1alpha1.StreamArchive
			w.create(eng, stream, bot, hook)
			w.waitReady(eng, stream, bot, hook)
			how(w, eng)
			before := w.faults.count("DELETE")
			for _, object := range []remote.Object{stream, bot, hook} {
				w.delete(object)
			}
			for _, object := range []remote.Object{stream, bot, hook} {
				w.waitGone(object)
				w.waitForEvent(object, v1alpha1.ReasonReleased)
				if note := w.note(object, v1alpha1.ReasonReleased); strings.Contains(note, ":") || !strings.HasSuffix(note, ", so nothing was deleted in the server") {
					t.Errorf("the event says %q", note)
				}
			}
			if calls := w.faults.count("DELETE") - before; calls != 0 {
				t.Errorf("%d calls", calls)
			}
		})
	}
}

// It is no error that the status of an object that was deleted during a pass can't be written.
func TestAnObjectIsDeletedDuringAPass(t *testing.T) {
	w := newWorld(t, options{stopped: true})
	gone, next, failures := w.stream("gone"), w.stream("next"), atomic.Int32{}
	for _, stream := range []*v1alpha1.Stream{gone, next} { // they have no finalizer
		stream.Annotations = map[string]string{v1alpha1.AnnotationPaused: "true"}
	}
	doomed := gone.DeepCopy() // gone is written while it is waited for
	remove := sync.OnceValue(func() error { return w.client.Delete(t.Context(), doomed) })
	w.start(options{
		logger: failuresTo(t, &failures),
		through: func(next http.RoundTripper) http.RoundTripper {
			return writeHook{next, func(path string) {
				if strings.HasSuffix(path, "/streams/gone/status") {
					if err := remove(); err != nil {
						t.Error(err)
					}
				}
			}}
		},
	})
	w.create(gone)
	w.waitGone(gone)
	w.create(next)
	w.waitForStatus(next, metav1.ConditionUnknown, v1alpha1.ReasonPaused)
	if n := failures.Load(); n > 0 {
		t.Errorf("%d failures", n)
	}
}
