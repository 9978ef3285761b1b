package remote_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/controller/remote"
)

func newRegistry() *prometheus.Registry { return prometheus.NewRegistry() }

// versions returns the resourceVersions of all objects and Secrets of a world.
func (w *world) versions() map[string]string {
	w.t.Helper()
	versions := map[string]string{}
	for _, list := range []client.ObjectList{&v1alpha1.OrganizationList{}, &v1alpha1.StreamList{}, &v1alpha1.BotList{}, &v1alpha1.IncomingWebhookList{}, &corev1.SecretList{}} {
		if err := w.client.List(w.t.Context(), list, client.InNamespace(w.namespace)); err != nil {
			w.t.Fatal(err)
		}
		for _, object := range objects(w.t, list) {
			versions[fmt.Sprintf("%T %s", object, object.GetName())] = object.GetResourceVersion()
		}
	}
	return versions
}

func TestComparingWritesNothing(t *testing.T) {
	w := newWorld(t, options{resync: 200 * time.Millisecond})
	eng, stream, bot, hook := w.organization("eng"), w.stream("alerts"), w.bot("deploy"), w.webhook()
	eng.Spec.Owners[0].Credentials = &v1alpha1.Credentials{SecretName: "ada"}
	w.create(eng, stream, bot, hook)
	all := []remote.Object{eng, stream, bot, hook}
	w.waitReady(all...)
	time.Sleep(500 * time.Millisecond)
	before, got, calls := w.versions(), len(w.events(bot)), w.faults.count("/bots/")
	w.eventually("some comparisons", func() error {
		if w.faults.count("/bots/") < calls+5 {
			return errUnchanged
		}
		return nil
	})
	if diff := cmp.Diff(before, w.versions()); diff != "" {
		t.Errorf("(-before +after):\n%s", diff)
	}
	if now := len(w.events(bot)); now != got {
		t.Errorf("%d new events", now-got)
	}
}

// TestManyBotsConverge makes as many as fit into a test; -bots makes more.
func TestManyBotsConverge(t *testing.T) {
	w := newWorld(t, options{})
	eng := w.organization("eng")
	w.create(eng)
	w.waitReady(eng)
	start := time.Now()
	for i := range *many {
		w.create(w.bot(fmt.Sprintf("bot%d", i)))
	}
	applied := time.Since(start)
	w.eventually("all are ready", func() error {
		list := &v1alpha1.BotList{}
		if err := w.client.List(t.Context(), list, client.InNamespace(w.namespace)); err != nil {
			return err
		}
		ready := 0
		for i := range list.Items {
			if isReady(&list.Items[i]) {
				ready++
			}
		}
		if ready != *many {
			return fmt.Errorf("%d of %d are ready", ready, *many)
		}
		return nil
	})
	t.Logf("%d bots were applied in %s, and ready after %s, with %d calls", *many, applied, time.Since(start), w.faults.count("/bots/"))
}
