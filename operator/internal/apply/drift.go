package apply

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"chatserver.dev/operator/api/v1alpha1"
)

// Drift is a change to the operator's objects by somebody else, which was reverted.
type Drift struct {
	Object  string // kind and name
	Field   string // the first one; empty if the object was deleted
	More    int    // further fields
	Manager string // the field manager that made it; empty if it isn't known
}

// String returns a description for people.
func (d Drift) String() string {
	if d.Field == "" {
		return d.Object + " was deleted"
	}
	more, manager := "", d.Manager
	if d.More > 0 {
		more = fmt.Sprintf(" and %d more", d.More)
	}
	if manager == "" {
		manager = "somebody"
	}
	return fmt.Sprintf("%s: %s%s was changed by %s", d.Object, d.Field, more, manager)
}

// driftOf describes the change of some fields of an object, as it was before they were reverted.
func driftOf(before state, fields *fieldpath.Set) *Drift {
	paths := []fieldpath.Path(nil)
	fields.Iterate(func(path fieldpath.Path) {
		path = outermost(path, before)
		// Parents come before their children.
		if !slices.ContainsFunc(paths, func(above fieldpath.Path) bool { return begins(path, above) }) {
			paths = append(paths, path)
		}
	})
	return &Drift{
		Object: name(before.live), Field: strings.TrimPrefix(paths[0].String(), "."), More: len(paths) - 1,
		Manager: managerOf(before.live, paths[0]),
	}
}

// outermost returns the shortest prefix of a path below which the operator owned no field, such as a whole list if all
// its items were replaced. It returns the path of a foreign field unchanged.
func outermost(path fieldpath.Path, before state) fieldpath.Path {
	if before.foreign.Has(path) {
		return path.Copy()
	}
	for n := 1; n < len(path); n++ {
		if !touches(before.owned, path[:n]) {
			return path[:n].Copy()
		}
	}
	return path.Copy()
}

// managerOf returns the current manager of a field; empty: there is none, as for a field that was removed.
func managerOf(live *unstructured.Unstructured, path fieldpath.Path) string {
	for _, entry := range live.GetManagedFields() {
		if entry.Manager == v1alpha1.Manager || entry.Subresource == "status" {
			continue
		}
		if set, err := fieldsOf(entry); err == nil && touches(set, path) {
			return entry.Manager
		}
	}
	return ""
}

// touches reports whether a set has a path, something below it, or an atomic value that contains it.
func touches(set *fieldpath.Set, path fieldpath.Path) bool {
	touched := false
	set.Leaves().Iterate(func(leaf fieldpath.Path) { touched = touched || begins(leaf, path) || begins(path, leaf) })
	return touched
}

// begins reports whether a path equals another one, or is below it.
func begins(path, above fieldpath.Path) bool {
	return len(above) <= len(path) && path[:len(above)].Equals(above)
}

// name returns an object's kind and name, for people.
func name(object *unstructured.Unstructured) string {
	return object.GetKind() + " " + object.GetName()
}
