package apply

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"reflect"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"

	"chatserver.dev/operator/api/v1alpha1"
)

// sumLength is the length of a hash, in hexadecimal digits.
const sumLength = 16

// sum returns the hash of an object.
func sum(object map[string]any) (string, error) {
	text, err := json.Marshal(object)
	if err != nil {
		return "", fmt.Errorf("hash object: %w", err)
	}
	digest := sha256.Sum256(text)
	return hex.EncodeToString(digest[:])[:sumLength], nil
}

// ownedFields returns the fields that the operator has applied and still owns. It returns false if the operator has never
// applied this object.
func ownedFields(live *unstructured.Unstructured) (*fieldpath.Set, bool, error) {
	owned, found := fieldpath.NewSet(), false
	for _, entry := range live.GetManagedFields() {
		if entry.Manager != v1alpha1.Manager || entry.Operation != metav1.ManagedFieldsOperationApply {
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

// comparison has the differences between a live object and what was or would be applied.
//
// It uses the owned fields as recorded by the API server, which include the keys of lists and which values are atomic. So
// it needs no schema and works for every kind.
type comparison struct {
	differs  []fieldpath.Path // fields of desired that have another value, or that aren't owned
	leftover []fieldpath.Path // owned fields that desired doesn't have
}

func (c comparison) same() bool { return len(c.differs) == 0 && len(c.leftover) == 0 }

// compare returns the differences between live and desired.
func compare(desired, live map[string]any, owned *fieldpath.Set) comparison {
	c := comparison{}
	for _, key := range slices.Sorted(maps.Keys(desired)) {
		if key == "apiVersion" || key == "kind" {
			continue
		}
		c.field(fieldpath.Path{}, key, desired[key], live, owned)
	}
	c.rest(fieldpath.Path{}, desired, owned)
	return c
}

func (c *comparison) add(path fieldpath.Path) { c.differs = append(c.differs, path.Copy()) }

func (c *comparison) leave(path fieldpath.Path) { c.leftover = append(c.leftover, path.Copy()) }

// field compares one field of a map.
func (c *comparison) field(at fieldpath.Path, key string, desired any, live map[string]any, owned *fieldpath.Set) {
	if at.String() == ".metadata" && (key == "name" || key == "namespace") {
		return // identifies the object
	}
	element := fieldpath.PathElement{FieldName: &key}
	path := append(at.Copy(), element)
	present, there := live[key]
	if !there && isZero(desired) {
		return // the API server leaves out what is empty
	}
	below, has := owned.Children.Get(element)
	switch {
	case has && !below.Empty():
		c.value(path, desired, present, below)
	case !owned.Members.Has(element), !within(desired, present):
		c.add(path)
	}
}

// value compares a value with owned fields of its own: a map, or a list with keys.
func (c *comparison) value(at fieldpath.Path, desired, live any, owned *fieldpath.Set) {
	switch desired := desired.(type) {
	case map[string]any:
		live, _ := live.(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(desired)) {
			c.field(at, key, desired[key], live, owned)
		}
		c.rest(at, desired, owned)
	case []any:
		live, _ := live.([]any)
		c.list(at, desired, live, owned)
	default:
		c.add(at)
	}
}

// rest finds owned fields of a map that are no longer desired.
func (c *comparison) rest(at fieldpath.Path, desired map[string]any, owned *fieldpath.Set) {
	for element := range elements(owned) {
		if element.FieldName == nil {
			continue
		}
		if _, stays := desired[*element.FieldName]; !stays {
			c.leave(append(at.Copy(), element))
		}
	}
}

// list compares the items of a list with keys, or of a set, with the live items of the same keys.
func (c *comparison) list(at fieldpath.Path, desired, live []any, owned *fieldpath.Set) {
	left := map[string]fieldpath.PathElement{}
	for element := range elements(owned) {
		left[element.String()] = element
	}
	for _, item := range desired {
		element, found := find(left, item)
		if !found {
			c.add(at) // a new item, or one that somebody removed
			continue
		}
		delete(left, element.String())
		path := append(at.Copy(), element)
		below, has := owned.Children.Get(element)
		i := slices.IndexFunc(live, func(other any) bool { return isItem(element, other, false) })
		switch {
		case i < 0:
			c.add(path)
		case has:
			c.value(path, item, live[i], below)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(left)) {
		c.leave(append(at.Copy(), left[key]))
	}
}

func find(among map[string]fieldpath.PathElement, item any) (fieldpath.PathElement, bool) {
	for _, element := range among {
		if isItem(element, item, true) {
			return element, true
		}
	}
	return fieldpath.PathElement{}, false
}

// isItem reports whether an item is the one that an element identifies. A lax comparison allows missing keys, which the
// API server sets to their defaults.
func isItem(element fieldpath.PathElement, item any, lax bool) bool {
	switch {
	case element.Value != nil:
		return value.Equals(*element.Value, value.NewValueInterface(item))
	case element.Key != nil:
		fields, isMap := item.(map[string]any)
		if !isMap {
			return false
		}
		for _, key := range *element.Key {
			field, there := fields[key.Name]
			if !there && lax {
				continue
			}
			if !there || !value.Equals(key.Value, value.NewValueInterface(field)) {
				return false
			}
		}
		return true
	}
	return false
}

// elements returns the direct children of a set, each once.
func elements(set *fieldpath.Set) iter.Seq[fieldpath.PathElement] {
	return func(yield func(fieldpath.PathElement) bool) {
		for element := range set.Members.All() {
			if !yield(element) {
				return
			}
		}
		for element := range set.Children.All() {
			if !set.Members.Has(element) && !yield(element) {
				return
			}
		}
	}
}

// within reports whether live contains everything in desired. It may contain more, such as defaults. If others add to
// an atomic value, they own it, so such values aren't compared here.
func within(desired, live any) bool {
	switch desired := desired.(type) {
	case map[string]any:
		live, isMap := live.(map[string]any)
		if !isMap {
			return false
		}
		for key, field := range desired {
			present, there := live[key]
			if !there && isZero(field) {
				continue
			}
			if !within(field, present) {
				return false
			}
		}
		return true
	case []any:
		live, isList := live.([]any)
		return isList && slices.EqualFunc(desired, live, within)
	}
	return reflect.DeepEqual(desired, live)
}

func isZero(field any) bool {
	switch field := field.(type) {
	case nil:
		return true
	case map[string]any:
		return len(field) == 0
	case []any:
		return len(field) == 0
	}
	return reflect.ValueOf(field).IsZero()
}
