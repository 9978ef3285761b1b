package apply

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"chatserver.dev/operator/api/v1alpha1"
)

// Changed fields and their managers are determined from the managed fields before and after the operator has applied
// the object.
func TestDriftOfManagedFields(t *testing.T) {
	t.Parallel()
	const applied = `{"f:metadata":{"f:annotations":{"f:applied":{}},"f:labels":{"f:a":{},"f:b":{}}},"f:spec":{"f:replicas":{},"f:selector":{},"f:template":{"f:spec":{
		"f:containers":{"k:{\"name\":\"x\"}":{".":{},"f:name":{},"f:image":{},"f:ports":{"k:{\"containerPort\":80,\"protocol\":\"TCP\"}":{".":{},"f:containerPort":{}}}}},"f:set":{"v:\"one\"":{}}}}}}`
	const image, port = `"f:image":{},`, `"f:ports":{"k:{\"containerPort\":80,\"protocol\":\"TCP\"}":{".":{},"f:containerPort":{}}}`
	for _, c := range []struct {
		name, removed, theirs string // what the operator has lost, and what a person owns
		want                  string
	}{
		{"nothing", "", `{"f:metadata":{"f:labels":{"f:theirs":{}}},"f:spec":{"f:template":{"f:metadata":{"f:annotations":{"f:restarted":{}}}}}}`, ""},
		{"a field that both own", "", `{"f:spec":{"f:template":{"f:spec":{"f:containers":{"k:{\"name\":\"x\"}":{"f:image":{}}}}}}}`, ""},
		{"the replicas of an autoscaler", "", `{"f:spec":{"f:replicas":{}}}`, ""},
		{"a value", `"f:replicas":{},`, `{"f:spec":{"f:replicas":{}}}`, "spec.replicas was changed by a-person"},
		{"a removed field", `"f:selector":{},`, "", "spec.selector was changed by somebody"},
		{"one of two labels", `"f:a":{},`, `{"f:metadata":{"f:labels":{"f:a":{}}}}`, "metadata.labels.a was changed by a-person"},
		{"all labels", `,"f:labels":{"f:a":{},"f:b":{}}`, `{"f:metadata":{"f:labels":{"f:theirs":{}}}}`, "metadata.labels was changed by a-person"},
		{"a value in an item", image, `{"f:spec":{"f:template":{"f:spec":{"f:containers":{"k:{\"name\":\"x\"}":{"f:image":{}}}}}}}`, `spec.template.spec.containers[name="x"].image was changed by a-person`},
		{
			"an item of an item", "," + port, `{"f:spec":{"f:template":{"f:spec":{"f:containers":{"k:{\"name\":\"x\"}":{"f:ports":{"k:{\"containerPort\":81,\"protocol\":\"TCP\"}":{".":{},"f:containerPort":{}}}}}}}}}`,
			`spec.template.spec.containers[name="x"].ports was changed by a-person`,
		},
		{"a member of a set", `,"f:set":{"v:\"one\"":{}}`, "", "spec.template.spec.set was changed by somebody"},
		{
			"a container besides ours", "", `{"f:spec":{"f:template":{"f:spec":{"f:containers":{"k:{\"name\":\"y\"}":{".":{},"f:name":{},"f:image":{}}}}}}}`,
			`spec.template.spec.containers[name="y"] was changed by a-person`,
		},
		{"two fields", "", `{"f:spec":{"f:paused":{},"f:template":{"f:spec":{"f:hostNetwork":{}}}}}`, "spec.paused and 1 more was changed by a-person"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if !strings.Contains(applied, c.removed) {
				t.Fatalf("%q isn't in it", c.removed)
			}
			live := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": map[string]any{"name": "main-api"}}}
			entries := []metav1.ManagedFieldsEntry{{
				Manager: v1alpha1.Manager, Operation: metav1.ManagedFieldsOperationApply, FieldsV1: metav1.NewFieldsV1(strings.Replace(applied, c.removed, "", 1)),
			}}
			if c.theirs != "" {
				entries = append(entries, metav1.ManagedFieldsEntry{Manager: "a-person", Operation: metav1.ManagedFieldsOperationUpdate, FieldsV1: metav1.NewFieldsV1(c.theirs)})
			}
			live.SetManagedFields(entries)
			before, err := stateOf(live)
			if err != nil {
				t.Fatal(err)
			}
			after := fieldpath.NewSet()
			if err := after.FromJSON(strings.NewReader(applied)); err != nil {
				t.Fatal(err)
			}
			got, want := "", c.want
			if fields := lost(before.owned, after).Union(before.foreign); !fields.Empty() {
				got = driftOf(before, fields).String()
			}
			if want != "" {
				want = "Deployment main-api: " + want
			}
			if got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}
