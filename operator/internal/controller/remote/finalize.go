package remote

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/status"
	"chatserver.dev/pkg/adminclient"
)

// blockedPause is the longest time between two attempts of a deletion.
const blockedPause = 15 * time.Second

// finalize removes the finalizer, after deleting the object from the server if its deletionPolicy requires it. It never
// waits for a server that is deleted or hibernated, and waits for a limited time for one that doesn't respond.
func (r *reconciler[O]) finalize(ctx context.Context, object O) (reconcile.Result, error) {
	if !controllerutil.ContainsFinalizer(object, v1alpha1.Finalizer) {
		return reconcile.Result{}, nil
	}
	if object.Retained() {
		return r.retain(ctx, object)
	}
	loc, why, err := r.places.gone(ctx, object)
	if err != nil {
		return reconcile.Result{}, err
	}
	if why != "" {
		return reconcile.Result{}, r.release(ctx, object, corev1.EventTypeNormal, v1alpha1.ReasonReleased, why+", so nothing was deleted in the server")
	}
	done := false
	err = r.call(ctx, loc, object, func(ctx context.Context, p *pass) (err error) {
		ctx, cancel := context.WithTimeout(ctx, removeTime)
		defer cancel()
		done, err = r.kind.remove(ctx, p)
		if adminclient.IsNotFound(err) {
			done, err = true, nil // it was deleted with its organization
		}
		return err
	})
	switch {
	case err != nil:
		return r.deletionBlocked(ctx, object, err)
	case done:
		return reconcile.Result{}, r.release(ctx, object, corev1.EventTypeNormal, v1alpha1.ReasonDeleting, "deleted from the server")
	default:
		return r.deleting(ctx, object, "the server is deleting it, which takes a while")
	}
}

// retain removes the finalizer once nothing that is being deleted needs the object. The object stays in the server, and its
// Secrets stay, too.
func (r *reconciler[O]) retain(ctx context.Context, object O) (reconcile.Result, error) {
	if r.kind.needed != nil && r.clock.Now().Before(object.GetDeletionTimestamp().Add(r.patience)) {
		needed, err := r.kind.needed(ctx, r.keyStore, object)
		switch {
		case err != nil:
			return reconcile.Result{}, err
		case needed:
			return r.deleting(ctx, object, "what is in it and is deleted together with it is deleted first")
		}
	}
	if r.kind.secrets != nil {
		if err := r.leave(ctx, object, r.kind.secrets(object)); err != nil {
			return reconcile.Result{}, err
		}
	}
	return reconcile.Result{}, r.release(ctx, object, corev1.EventTypeNormal, v1alpha1.ReasonRetained, "kept in the server, as the deletionPolicy requires")
}

// release removes the finalizer.
func (r *reconciler[O]) release(ctx context.Context, object O, kind, reason, text string) error {
	before := clone(object)
	controllerutil.RemoveFinalizer(object, v1alpha1.Finalizer)
	err := r.client.Patch(ctx, object, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("remove the finalizer from %s %s: %w", r.kind.name, client.ObjectKeyFromObject(object), err)
	}
	r.events.Eventf(before, nil, kind, reason, actionDelete, "%s", status.Note(text))
	return nil
}

// deleting reports why the deletion isn't complete yet.
func (r *reconciler[O]) deleting(ctx context.Context, object O, text string) (reconcile.Result, error) {
	before := clone(object)
	conditions := r.conditionsOf(object)
	conditions.True(v1alpha1.ConditionSynced, v1alpha1.ReasonDeleting, text)
	conditions.Working(v1alpha1.ReasonDeleting, text)
	return r.reported(ctx, before, object, reconcile.Result{RequeueAfter: time.Second})
}

// deletionBlocked reports why a deletion fails, and gives up after some time.
func (r *reconciler[O]) deletionBlocked(ctx context.Context, object O, err error) (reconcile.Result, error) {
	later, blocking := deferred{}, (*blocked)(nil)
	wait := spread(time.Second, blockedPause)
	switch {
	case errors.As(err, &later) && later.cause == nil:
		return reconcile.Result{RequeueAfter: later.wait}, nil
	case errors.As(err, &later):
		blocking, wait = later.cause, min(later.wait, blockedPause)
	case !errors.As(err, &blocking):
		return reconcile.Result{}, err
	}
	since := object.GetDeletionTimestamp().Time
	before := clone(object)
	if was := meta.FindStatusCondition(object.Guest().Conditions, v1alpha1.ConditionSynced); was != nil && was.LastTransitionTime.After(since) {
		since = was.LastTransitionTime.Time // something was done in between
	}
	left := since.Add(r.patience).Sub(r.clock.Now())
	if left <= 0 {
		return reconcile.Result{}, r.release(ctx, object, corev1.EventTypeWarning, v1alpha1.ReasonDeletionGivenUp,
			fmt.Sprintf("gave up deleting it from the server after %s; it may still exist there: %s", r.patience, blocking.message))
	}
	text := fmt.Sprintf("failed to delete it from the server; retrying until %s: %s",
		since.Add(r.patience).UTC().Format(time.RFC3339), blocking.message)
	conditions := r.conditionsOf(object)
	conditions.False(v1alpha1.ConditionSynced, v1alpha1.ReasonDeletionBlocked, text)
	conditions.Working(v1alpha1.ReasonDeletionBlocked, text)
	return r.reported(ctx, before, object, reconcile.Result{RequeueAfter: min(wait, max(left, time.Second))})
}
