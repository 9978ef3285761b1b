package apply

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"chatserver.dev/operator/api/v1alpha1"
)

// ownedWhole reports whether only the operator may set a field: the specs of Deployments and StatefulSets, with
// the containers, volumes and variables of their pods. Others may set labels and annotations of pods, as kubectl rollout
// restart does, and the number of pods, which is compared if the operator owns it.
func ownedWhole(live *unstructured.Unstructured, path fieldpath.Path) bool {
	if kind := live.GroupVersionKind(); kind != Deployment() && kind != StatefulSet() {
		return false
	}
	fields := names(path)
	switch {
	case len(fields) < 2 || fields[0] != "spec" || fields[1] == "replicas":
		return false
	case fields[1] == "template":
		return len(fields) > 2 && fields[2] == "spec"
	}
	return true
}

// foreignFields returns fields that others have set without permission and that desired doesn't have, each without those
// below it. Server-side apply doesn't remove them. Additions of an admission webhook to what the operator sends have
// the operator as manager, and stay.
func foreignFields(desired, live *unstructured.Unstructured) ([]fieldpath.Path, error) {
	found := map[string]fieldpath.Path{}
	for _, entry := range live.GetManagedFields() {
		if entry.Subresource != "" || slices.Contains([]string{v1alpha1.Manager, handoverOwner, resetOwner}, entry.Manager) {
			continue
		}
		set, err := fieldsOf(entry)
		if err != nil {
			return nil, err
		}
		set.Iterate(func(path fieldpath.Path) {
			if ownedWhole(live, path) && !reaches(desired.Object, path) {
				found[path.String()] = path.Copy()
			}
		})
	}
	paths := []fieldpath.Path(nil)
	for _, key := range slices.Sorted(maps.Keys(found)) { // parents sort before their children
		path := found[key]
		if !slices.ContainsFunc(paths, func(above fieldpath.Path) bool { return len(above) <= len(path) && path[:len(above)].Equals(above) }) {
			paths = append(paths, path)
		}
	}
	return paths, nil
}

// strip removes the fields that others have set.
func (a *Applier) strip(ctx context.Context, before state) error {
	object := before.live.DeepCopy()
	for _, path := range before.foreign {
		object.Object, _ = without(object.Object, path).(map[string]any)
	}
	if err := a.client.Update(ctx, object, client.FieldOwner(resetOwner)); err != nil {
		return fmt.Errorf("remove what others have added to %s: %w", name(object), err)
	}
	return nil
}

// reaches reports whether a path exists in a value.
func reaches(value any, path fieldpath.Path) bool {
	if len(path) == 0 {
		return true
	}
	switch value := value.(type) {
	case map[string]any:
		if path[0].FieldName == nil {
			return false
		}
		below, there := value[*path[0].FieldName]
		return there && reaches(below, path[1:])
	case []any:
		i := slices.IndexFunc(value, func(item any) bool { return isItem(path[0], item, true) })
		return i >= 0 && reaches(value[i], path[1:])
	}
	return false
}

// without returns a value without the field or item at a path.
func without(value any, path fieldpath.Path) any {
	switch value := value.(type) {
	case map[string]any:
		if path[0].FieldName == nil {
			return value
		}
		key := *path[0].FieldName
		if below, there := value[key]; there && len(path) > 1 {
			value[key] = without(below, path[1:])
		} else {
			delete(value, key)
		}
		return value
	case []any:
		i := slices.IndexFunc(value, func(item any) bool { return isItem(path[0], item, false) })
		switch {
		case i < 0:
			return value
		case len(path) == 1:
			return slices.Delete(value, i, i+1)
		}
		value[i] = without(value[i], path[1:])
		return value
	}
	return value
}
