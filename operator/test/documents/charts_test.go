package documents_test

import (
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// What the charts render for each of their values files is taken by an API server that refuses unknown fields.
func TestChartsAreApplied(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped in short mode: it builds programs or starts servers")
	}
	t.Parallel()
	api := connect(t)
	paths, err := filepath.Glob(root + "/hack/charts/testdata/*/*.golden.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatalf("nothing is rendered: %v", err)
	}
	dry := client.NewDryRunClient(api)
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			for _, o := range rendered(t, path) {
				if o.GroupVersionKind().Group == "monitoring.coreos.com" {
					continue // not served here
				}
				namespaced, err := api.IsObjectNamespaced(o)
				if err != nil {
					t.Errorf("%s %s: %v", o.GetKind(), o.GetName(), err)
					continue
				}
				if namespaced && o.GetNamespace() == "" {
					o.SetNamespace("default") // Helm says which when it installs
				}
				if namespaced {
					place := object(t, "{apiVersion: v1, kind: Namespace}")
					place.SetName(o.GetNamespace())
					apply(t, api, place)
				}
				apply(t, dry, o)
			}
		})
	}
}

// rendered returns the objects of a golden file.
func rendered(t *testing.T, path string) []*unstructured.Unstructured {
	t.Helper()
	all := []*unstructured.Unstructured{}
	for document := range strings.SplitSeq("\n"+read(t, path), "\n---\n") {
		if o := object(t, document); len(o.Object) > 0 {
			all = append(all, o)
		}
	}
	return all
}
