package apply

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"chatserver.dev/operator/api/v1alpha1"
)

// ApplyWidened is [Applier.Apply] for an object with a list that allows something. If the object has changed, items of the
// previous one stay in the list, until Apply removes them.
func (a *Applier) ApplyWidened(ctx context.Context, server *v1alpha1.ChatServer, object runtime.ApplyConfiguration, list ...string) (Result, error) {
	desired, err := Desired(object)
	if err != nil {
		return Result{}, err
	}
	state, err := look(ctx, a.client, desired)
	if err != nil {
		return Result{}, err
	}
	if state.known && !state.applied(desired) { // otherwise any difference was made by others
		if err := widen(desired, state.live, list...); err != nil {
			return Result{}, err
		}
	}
	return a.apply(ctx, server, desired)
}

// widen adds the items of a live list to the desired one.
func widen(desired, live *unstructured.Unstructured, list ...string) error {
	items, _, err := unstructured.NestedSlice(desired.Object, list...)
	if err != nil {
		return fmt.Errorf("read the list of %s: %w", name(desired), err)
	}
	former, _, err := unstructured.NestedSlice(live.Object, list...)
	if err != nil {
		return fmt.Errorf("read the list of the live %s: %w", name(desired), err)
	}
	wanted := len(items)
	for _, item := range former {
		if !slices.ContainsFunc(items, func(other any) bool { return reflect.DeepEqual(item, other) }) {
			items = append(items, item)
		}
	}
	if len(items) == wanted {
		return nil
	}
	if err := unstructured.SetNestedSlice(desired.Object, items, list...); err != nil {
		return fmt.Errorf("set the list of %s: %w", name(desired), err)
	}
	return addHash(desired)
}
