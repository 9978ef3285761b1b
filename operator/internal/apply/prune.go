package apply

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"chatserver.dev/operator/api/v1alpha1"
)

// Inventory is the set of a server's desired objects.
type Inventory map[string]bool

// Add adds an object, and reports whether it was there already.
func (i Inventory) Add(object *unstructured.Unstructured) bool {
	was := i[key(object)]
	i[key(object)] = true
	return was
}

func key(object *unstructured.Unstructured) string {
	kind := object.GroupVersionKind().GroupKind()
	return kind.String() + "/" + object.GetName()
}

// Prune deletes objects of a server, of the given kinds, that the operator has applied and that aren't in the inventory. It returns
// their kinds and names. A copy that somebody made has the same labels, but another manager has applied it.
func (a *Applier) Prune(ctx context.Context, server *v1alpha1.ChatServer, kinds []schema.GroupVersionKind, keep Inventory) (deleted []string, err error) {
	err = each(ctx, a.client, server, kinds, func(object *unstructured.Unstructured) error {
		_, known, err := ownedFields(object)
		if err != nil || !known || keep[key(object)] {
			return err
		}
		if err := a.Delete(ctx, object); err != nil {
			return err
		}
		deleted = append(deleted, name(object))
		return nil
	})
	return deleted, err
}

// DeleteAll deletes all objects of a server of the given kinds, read from the API server itself.
func (a *Applier) DeleteAll(ctx context.Context, server *v1alpha1.ChatServer, kinds []schema.GroupVersionKind) error {
	return each(ctx, a.direct, server, kinds, func(object *unstructured.Unstructured) error { return a.Delete(ctx, object) })
}

// each calls do with each object with the labels of a server, of the given kinds, that isn't being deleted.
func each(ctx context.Context, reader client.Reader, server *v1alpha1.ChatServer, kinds []schema.GroupVersionKind,
	do func(*unstructured.Unstructured) error,
) error {
	for _, kind := range kinds {
		found := &unstructured.UnstructuredList{}
		found.SetGroupVersionKind(kind)
		err := reader.List(ctx, found, client.InNamespace(server.Namespace),
			client.MatchingLabels{v1alpha1.LabelManagedBy: v1alpha1.Manager, v1alpha1.LabelInstance: server.Name})
		if err != nil {
			return fmt.Errorf("list objects of kind %s: %w", kind.Kind, err)
		}
		for i := range found.Items {
			if found.Items[i].GetDeletionTimestamp() != nil {
				continue
			}
			if err := do(&found.Items[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// Delete deletes an object and its dependents, unless it has been replaced by another one.
func (a *Applier) Delete(ctx context.Context, object *unstructured.Unstructured) error {
	uid := object.GetUID()
	err := a.client.Delete(ctx, object, client.Preconditions{UID: &uid}, client.PropagationPolicy(metav1.DeletePropagationBackground))
	if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
		return fmt.Errorf("delete %s: %w", name(object), err)
	}
	return nil
}
