package apply

import (
	"context"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"chatserver.dev/operator/api/v1alpha1"
)

// The API server records which manager owns each field of an object. If somebody else changes or removes a field, the
// operator loses it. So the fields that the operator owns show whether something was changed, without a comparison of
// values: it needs no schema, ignores defaults, and works for every kind.

// ownedFields returns the fields that the operator has applied and still owns. It returns false if the operator has never
// applied this object.
func ownedFields(live *unstructured.Unstructured) (*fieldpath.Set, bool, error) {
	owned, found := fieldpath.NewSet(), false
	for _, entry := range live.GetManagedFields() {
		if !isOurs(entry) {
			continue
		}
		set, err := fieldsOf(entry)
		if err != nil {
			return nil, false, err
		}
		owned, found = owned.Union(set), true
	}
	return owned, found, nil
}

func isOurs(entry metav1.ManagedFieldsEntry) bool {
	return entry.Manager == v1alpha1.Manager && entry.Operation == metav1.ManagedFieldsOperationApply
}

func fieldsOf(entry metav1.ManagedFieldsEntry) (*fieldpath.Set, error) {
	set := fieldpath.NewSet()
	if entry.FieldsV1 == nil {
		return set, nil
	}
	if err := set.FromJSON(entry.FieldsV1.GetRawReader()); err != nil {
		return nil, fmt.Errorf("read the fields of manager %q: %w", entry.Manager, err)
	}
	return set, nil
}

// lost returns the fields that the operator owns after an apply and didn't own before: those that others had changed.
func lost(before, after *fieldpath.Set) *fieldpath.Set {
	fields := fieldpath.NewSet()
	after.Iterate(func(path fieldpath.Path) {
		if !before.Has(path) {
			fields.Insert(path.Copy())
		}
	})
	return fields
}

// foreignFields returns the fields of a spec that others own and the operator doesn't, except those that others may
// set: labels and annotations of pods, as kubectl rollout restart does, the number of pods, unless the operator owns it,
// and the addresses of a Service inside the cluster. Fields that an admission webhook adds to the operator's requests belong
// to the operator.
func foreignFields(live *unstructured.Unstructured, owned *fieldpath.Set) (*fieldpath.Set, error) {
	foreign := fieldpath.NewSet()
	for _, entry := range live.GetManagedFields() {
		if entry.Subresource != "" || isOurs(entry) {
			continue
		}
		set, err := fieldsOf(entry)
		if err != nil {
			return nil, err
		}
		set.Iterate(func(path fieldpath.Path) {
			if inSpec(path) && !owned.Has(path) {
				foreign.Insert(path.Copy())
			}
		})
	}
	return foreign, nil
}

func inSpec(path fieldpath.Path) bool {
	at := func(i int, names ...string) bool {
		return i < len(path) && path[i].FieldName != nil && slices.Contains(names, *path[i].FieldName)
	}
	return at(0, "spec") && len(path) > 1 && (!at(1, "template") || at(2, "spec")) &&
		!at(1, "replicas", "clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy")
}

// ownedWhole reports whether only the operator may set fields in the spec of an object. Server-side apply alone would leave
// what others add: containers, volumes and variables of pods; the type of a Service or its external addresses; rules of a
// NetworkPolicy; and another number of a PodDisruptionBudget, which may have one only.
func ownedWhole(object *unstructured.Unstructured) bool {
	return slices.Contains([]schema.GroupVersionKind{Deployment(), StatefulSet(), service(), NetworkPolicy(), disruptionBudget()}, object.GroupVersionKind())
}

// adopt makes the operator the owner of fields that others own, so that the next apply removes those that the applied
// object lacks.
func (a *Applier) adopt(ctx context.Context, live *unstructured.Unstructured, fields *fieldpath.Set) error {
	object, entries := live.DeepCopy(), []metav1.ManagedFieldsEntry(nil)
	for _, entry := range live.GetManagedFields() {
		set, err := fieldsOf(entry)
		if err != nil {
			return err
		}
		switch {
		case isOurs(entry):
			set = set.Union(fields)
		case entry.Subresource == "":
			set = set.Difference(fields)
		}
		if set.Empty() {
			continue
		}
		text, err := set.ToJSON()
		if err != nil {
			return fmt.Errorf("encode the fields of manager %q: %w", entry.Manager, err)
		}
		entry.FieldsV1 = metav1.NewFieldsV1(string(text))
		entries = append(entries, entry)
	}
	object.SetManagedFields(entries)
	patch := client.MergeFromWithOptions(live, client.MergeFromWithOptimisticLock{})
	if err := a.client.Patch(ctx, object, patch, client.FieldOwner(v1alpha1.Manager)); err != nil {
		return fmt.Errorf("take over the fields of other managers in %s: %w", name(object), err)
	}
	return nil
}
