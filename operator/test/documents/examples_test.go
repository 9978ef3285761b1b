package documents_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/testcluster"
)

// kinds are those that each have an example.
func kinds() []string {
	return []string{"ChatServer", "Organization", "Stream", "User", "Bot", "IncomingWebhook"}
}

// TestExamples applies each file to an API server that refuses unknown fields.
func TestExamples(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped in short mode: it builds programs or starts servers")
	}
	t.Parallel()
	api := connect(t)
	for _, name := range []string{"chat", "team-eng", "monitoring"} {
		namespace := object(t, "{apiVersion: v1, kind: Namespace}")
		namespace.SetName(name)
		apply(t, api, namespace)
	}
	paths, err := filepath.Glob(examples + "/*.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) { // one at a time: their names are the same
			for _, o := range objects(t, path) {
				if o.GroupVersionKind().Group == "monitoring.coreos.com" {
					continue // not served here; TestAlertmanager looks at it
				}
				apply(t, api, o)
				if o.GetKind() == "Namespace" {
					continue
				}
				defer func() {
					if err := api.Delete(t.Context(), o); err != nil {
						t.Error(err)
					}
				}()
			}
		})
	}
}

func connect(t *testing.T) client.Client {
	t.Helper()
	cluster, err := testcluster.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cluster.Stop(); err != nil {
			t.Error(err)
		}
	})
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	api, err := client.New(cluster.Config, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	return client.WithFieldValidation(api, metav1.FieldValidationStrict)
}

func apply(t *testing.T, api client.Client, o *unstructured.Unstructured) {
	t.Helper()
	if err := api.Apply(t.Context(), client.ApplyConfigurationFromUnstructured(o), client.FieldOwner("examples"), client.ForceOwnership); err != nil {
		t.Errorf("%s %s: %v", o.GetKind(), o.GetName(), err)
	}
}

func object(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	o := &unstructured.Unstructured{}
	if err := yaml.UnmarshalStrict([]byte(text), &o.Object); err != nil {
		t.Fatal(err)
	}
	return o
}

func objects(t *testing.T, path string) []*unstructured.Unstructured {
	t.Helper()
	all := []*unstructured.Unstructured{}
	for document := range strings.SplitSeq(read(t, path), "\n---\n") {
		all = append(all, object(t, document))
	}
	return all
}

// Each kind has its own example, and the list in the README is complete.
func TestExamplesAreListed(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob(examples + "/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	readme := read(t, examples+"/README.md")
	for _, path := range paths {
		if name := filepath.Base(path); !strings.Contains(readme, "["+name+"]("+name+")") {
			t.Errorf("the README doesn't list %s", name)
		}
	}
	for _, kind := range kinds() {
		path := filepath.Join(examples, strings.ToLower(kind)+".yaml")
		if !slices.ContainsFunc(objects(t, path), func(o *unstructured.Unstructured) bool { return o.GetKind() == kind }) {
			t.Errorf("%s has no %s", path, kind)
		}
	}
}

// What Alertmanager reads is what the operator writes, in the same namespace and where the organization lets it in.
func TestAlertmanager(t *testing.T) {
	t.Parallel()
	all := objects(t, examples+"/alertmanager.yaml")
	find := func(kind string, in []*unstructured.Unstructured) *unstructured.Unstructured {
		at := slices.IndexFunc(in, func(o *unstructured.Unstructured) bool { return o.GetKind() == kind })
		if at < 0 {
			t.Fatalf("no %s", kind)
		}
		return in[at]
	}
	webhook, config := find("IncomingWebhook", all), find("AlertmanagerConfig", all)
	if webhook.GetNamespace() != config.GetNamespace() {
		t.Errorf("the webhook is in %s, the configuration in %s", webhook.GetNamespace(), config.GetNamespace())
	}
	written, _, _ := unstructured.NestedString(webhook.Object, "spec", "credentials", "secretName")
	receivers, _, _ := unstructured.NestedSlice(config.Object, "spec", "receivers")
	receiver := &unstructured.Unstructured{Object: receivers[0].(map[string]any)}
	hooks, _, _ := unstructured.NestedSlice(receiver.Object, "webhookConfigs")
	reads, _, _ := unstructured.NestedStringMap(hooks[0].(map[string]any), "urlSecret")
	if reads["name"] != written || reads["key"] != "url" {
		t.Errorf("it reads %v, the operator writes %s", reads, written)
	}
	organization := v1alpha1.Organization{}
	from := find("Organization", objects(t, examples+"/organization.yaml"))
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(from.Object, &organization); err != nil {
		t.Fatal(err)
	}
	ref, _, _ := unstructured.NestedStringMap(webhook.Object, "spec", "organizationRef")
	if ref["name"] != organization.Name || ref["namespace"] != organization.Namespace {
		t.Errorf("it is in %v, the example has %s/%s", ref, organization.Namespace, organization.Name)
	}
	selector, err := metav1.LabelSelectorAsSelector(organization.Spec.AllowedNamespaces.Selector.Kubernetes())
	if err != nil || !selector.Matches(labels.Set{"kubernetes.io/metadata.name": webhook.GetNamespace()}) {
		t.Errorf("the organization doesn't let %s in: %v", webhook.GetNamespace(), err)
	}
}
