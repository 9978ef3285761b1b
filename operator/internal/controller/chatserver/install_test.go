package chatserver_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
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
