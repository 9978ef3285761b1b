package chatserver_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/inputs"
)

// installCRD installs a kind with arbitrary fields.
func installCRD(t *testing.T, kind schema.GroupVersionKind, plural string) {
	t.Helper()
	anything := true
	_, err := envtest.InstallCRDs(cluster.Config, envtest.CRDInstallOptions{CRDs: []*apiextensionsv1.CustomResourceDefinition{{
		ObjectMeta: metav1.ObjectMeta{Name: plural + "." + kind.Group, Annotations: map[string]string{"api-approved.kubernetes.io": "unapproved, for tests"}},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: kind.Group, Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Kind: kind.Kind, ListKind: kind.Kind + "List", Plural: plural, Singular: strings.ToLower(kind.Kind)},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: kind.Version, Served: true, Storage: true,
				Schema:       &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{Type: "object", XPreserveUnknownFields: &anything}},
				Subresources: &apiextensionsv1.CustomResourceSubresources{Status: &apiextensionsv1.CustomResourceSubresourceStatus{}},
			}},
		},
	}}})
	if err != nil {
		t.Fatal(err)
	}
}

// removeCRD removes a kind with all its objects.
func removeCRD(t *testing.T, kind schema.GroupVersionKind, plural string) {
	t.Helper()
	err := envtest.UninstallCRDs(cluster.Config, envtest.CRDInstallOptions{CRDs: []*apiextensionsv1.CustomResourceDefinition{{
		ObjectMeta: metav1.ObjectMeta{Name: plural + "." + kind.Group},
	}}})
	if err != nil {
		t.Fatal(err)
	}
}

func (w *world) foreign(kind schema.GroupVersionKind, name string) *unstructured.Unstructured {
	w.t.Helper()
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(kind)
	if !w.exists(name, object) {
		return nil
	}
	return object
}

func TestCloudNativePGIsUsedOnceItIsInstalled(t *testing.T) {
	w := newDiscoveringWorld(t)
	server := w.minimal()
	server.Spec.Database = v1alpha1.Database{Mode: v1alpha1.DatabaseCloudNativePG}
	w.create(server)
	w.until("it says what is missing", func() bool { return w.ready(v1alpha1.ReasonCRDNotInstalled) && w.condition("Stalled").Status == "True" })
	installCRD(t, inputs.Cluster(), "clusters")
	w.until("there is a Cluster", func() bool {
		return w.foreign(inputs.Cluster(), "main-db") != nil && w.ready(v1alpha1.ReasonWaitingForDatabase)
	})
	made := w.foreign(inputs.Cluster(), "main-db")
	if len(made.GetOwnerReferences()) > 0 {
		t.Error("the data would go with the server")
	}
	before := made.DeepCopy()
	made.Object["status"] = map[string]any{"readyInstances": int64(1), "phase": "healthy"}
	if err := w.Status().Patch(t.Context(), made, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
	w.until("it waits for the Secret", func() bool {
		return strings.Contains(w.condition(v1alpha1.ConditionDependenciesReady).Message, "main-db-app")
	})
	w.create(&corev1.Secret{ObjectMeta: w.meta("main-db-app"), StringData: map[string]string{
		"uri": "postgres://u:p@main-db-rw/chatserver", "host": "main-db-rw", "port": "5432", "dbname": "chatserver",
	}})
	w.create(&corev1.Secret{ObjectMeta: w.meta("main-db-ca"), StringData: map[string]string{"ca.crt": "a certificate"}})
	w.until("it serves", func() bool { return w.ready(v1alpha1.ReasonServing) })
	w.writesNothing()
	// One that somebody has made from a backup keeps its bootstrap: CloudNativePG refuses a second method.
	w.stop()
	if err := w.Delete(t.Context(), w.foreign(inputs.Cluster(), "main-db")); err != nil {
		t.Fatal(err)
	}
	restored := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{
		"instances": int64(1), "bootstrap": map[string]any{"recovery": map[string]any{"source": "backup"}},
	}}}
	restored.SetGroupVersionKind(inputs.Cluster())
	restored.SetNamespace(w.namespace)
	restored.SetName("main-db")
	restored.SetLabels(map[string]string{v1alpha1.LabelManagedBy: v1alpha1.Manager, v1alpha1.LabelInstance: "main"})
	w.create(restored)
	w.start()
	w.until("it is managed", func() bool {
		made = w.foreign(inputs.Cluster(), "main-db")
		instances, _, _ := unstructured.NestedInt64(made.Object, "spec", "instances")
		return instances == 3
	})
	if bootstrap, _, _ := unstructured.NestedMap(made.Object, "spec", "bootstrap"); len(bootstrap) != 1 || bootstrap["recovery"] == nil {
		t.Errorf("its bootstrap is %v", bootstrap)
	}
	w.quiet()
	w.writesNothing()
	// A change of the Cluster by another user is reverted, too.
	made = w.foreign(inputs.Cluster(), "main-db")
	before = made.DeepCopy()
	if err := unstructured.SetNestedField(made.Object, int64(1), "spec", "instances"); err != nil {
		t.Fatal(err)
	}
	if err := w.Patch(t.Context(), made, client.MergeFrom(before), client.FieldOwner("a-person")); err != nil {
		t.Fatal(err)
	}
	w.until("it is right again", func() bool {
		instances, _, _ := unstructured.NestedInt64(w.foreign(inputs.Cluster(), "main-db").Object, "spec", "instances")
		return instances == 3 && strings.Contains(w.condition(v1alpha1.ConditionDriftRepaired).Message, "spec.instances was changed by a-person")
	})

	// A deletion doesn't occupy the operator while the API server doesn't list Clusters.
	w.change(func(s *v1alpha1.ChatServer) { s.Spec.DeletionPolicy = v1alpha1.ChatServerDelete })
	w.until("it has a finalizer", func() bool { return len(w.server().Finalizers) > 0 })
	w.stop()
	webhook := w.converts("clusters")
	if err := w.Delete(t.Context(), w.server()); err != nil {
		t.Fatal(err)
	}
	w.start()
	w.until("it says why it isn't deleted", func() bool {
		return w.ready(v1alpha1.ReasonDeletionBlocked) && strings.Contains(w.condition("Ready").Message, "doesn't list objects of kind Cluster")
	})
	close(webhook.responds)
	w.until("the Cluster is deleted", func() bool { return w.foreign(inputs.Cluster(), "main-db") == nil })
}
