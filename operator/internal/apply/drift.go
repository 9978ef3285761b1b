package apply

import (
	"fmt"
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
	var text strings.Builder
	fmt.Fprintf(&text, "%s: %s", d.Object, d.Field)
	if d.More > 0 {
		fmt.Fprintf(&text, " and %d more", d.More)
	}
	manager := d.Manager
	if manager == "" {
		manager = "somebody"
	}
	fmt.Fprintf(&text, " was changed by %s", manager)
	return text.String()
}

func driftOf(live *unstructured.Unstructured, differs []fieldpath.Path) Drift {
	d := Drift{Object: name(live), More: -1}
	for _, path := range differs {
		if strings.HasSuffix(path.String(), annotationApplied) {
			continue // the hash changes with the rest
		}
		if d.More++; d.Field == "" {
			d.Field, d.Manager = strings.TrimPrefix(path.String(), "."), managerOf(live, path)
		}
	}
	d.More = max(d.More, 0)
	if d.Field == "" {
		d.Field = "metadata.annotations"
	}
	return d
}

// managerOf returns the current manager of a field; nobody manages a field that was removed.
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
	set.Leaves().Iterate(func(other fieldpath.Path) {
		n := min(len(other), len(path))
		touched = touched || other[:n].Equals(path[:n])
	})
	return touched
}

// name returns an object's kind and name, for people.
func name(object *unstructured.Unstructured) string {
	return object.GetKind() + " " + object.GetName()
}
