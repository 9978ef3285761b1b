package apply

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"chatserver.dev/operator/api/v1alpha1"
)

// resetOwner is the field manager for changes that server-side apply can't revert.
const resetOwner = v1alpha1.Manager + "-reset"

// reset overwrites whole fields. If somebody has replaced an item of a list, applying ours doesn't remove theirs, and
// both together may be invalid, such as two ports of one name.
func (a *Applier) reset(ctx context.Context, desired *unstructured.Unstructured, before state) error {
	object := before.live.DeepCopy()
	for _, path := range before.differs {
		fields := names(path)
		value, there, err := unstructured.NestedFieldCopy(desired.Object, fields...)
		if err != nil || !there {
			continue
		}
		if err := unstructured.SetNestedField(object.Object, value, fields...); err != nil {
			return fmt.Errorf("reset %s: %w", name(desired), err)
		}
	}
	if err := a.client.Update(ctx, object, client.FieldOwner(resetOwner)); err != nil {
		return fmt.Errorf("reset %s: %w", name(desired), err)
	}
	return nil
}

// names returns the fields of a path, up to the first list.
func names(path fieldpath.Path) []string {
	fields := []string(nil)
	for _, element := range path {
		if element.FieldName == nil {
			break
		}
		fields = append(fields, *element.FieldName)
	}
	return fields
}

// release removes the reset's ownership of fields, so that the operator alone owns them.
func (a *Applier) release(ctx context.Context, live *unstructured.Unstructured) error {
	for i, entry := range live.GetManagedFields() {
		if entry.Manager != resetOwner {
			continue
		}
		at := "/metadata/managedFields/" + strconv.Itoa(i)
		patch, err := json.Marshal([]map[string]any{
			{"op": "test", "path": at + "/manager", "value": resetOwner},
			{"op": "remove", "path": at},
		})
		if err != nil {
			return fmt.Errorf("encode a patch: %w", err)
		}
		if err := a.client.Patch(ctx, live, client.RawPatch(types.JSONPatchType, patch)); err != nil {
			return fmt.Errorf("release the fields of %s: %w", name(live), err)
		}
		return nil
	}
	return nil
}
