package apply

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	// detaching is how long the garbage collector has to release the dependents of an object; usually it takes less than a second.
	detaching = 20 * time.Second
	// detachPause is the time between two looks whether it has.
	detachPause = 100 * time.Millisecond
)

// isImmutable reports whether the API server refuses to change a StatefulSet because its spec has a field that can't be changed, such as
// the policy for its pods. Another release of the operator may have created it with another value.
func isImmutable(desired *unstructured.Unstructured, err error) bool {
	refusal := apierrors.APIStatus(nil)
	if desired.GroupVersionKind() != StatefulSet() || !apierrors.IsInvalid(err) || !errors.As(err, &refusal) || refusal.Status().Details == nil {
		return false
	}
	return slices.ContainsFunc(refusal.Status().Details.Causes, func(cause metav1.StatusCause) bool {
		return cause.Type == metav1.CauseTypeForbidden && cause.Field == "spec"
	})
}

// detach deletes an object and leaves its dependents, so that one that is created in its place adopts them: pods go on running, and
// volume claims stay. It returns when the object is gone.
func (a *Applier) detach(ctx context.Context, object *unstructured.Unstructured) error {
	uid := object.GetUID()
	err := a.client.Delete(ctx, object, client.Preconditions{UID: &uid}, client.PropagationPolicy(metav1.DeletePropagationOrphan))
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("replace %s: %w", name(object), err)
	}
	err = wait.PollUntilContextTimeout(ctx, detachPause, detaching, true, func(ctx context.Context) (bool, error) {
		live := object.DeepCopy()
		err := a.direct.Get(ctx, client.ObjectKeyFromObject(object), live)
		return apierrors.IsNotFound(err) || err == nil && live.GetUID() != uid, client.IgnoreNotFound(err)
	})
	if err != nil {
		return fmt.Errorf("replace %s, whose pods stay: wait until it is deleted: %w", name(object), err)
	}
	return nil
}
