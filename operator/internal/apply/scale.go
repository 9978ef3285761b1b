package apply

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"chatserver.dev/operator/api/v1alpha1"
)

// ApplyScaled is [Applier.Apply] for a Deployment that an autoscaler scales within bounds. Until then the operator owns
// the number of pods. If it just stopped applying the number, the number would have no owner, and the API server would
// set it to 1. So another field manager owns it until the autoscaler sets it.
func (a *Applier) ApplyScaled(ctx context.Context, server *v1alpha1.ChatServer, object runtime.ApplyConfiguration, minReplicas, maxReplicas int32) (Result, error) {
	desired, err := Desired(object)
	if err != nil {
		return Result{}, err
	}
	state, err := look(ctx, a.client, desired)
	if err != nil {
		return Result{}, err
	}
	if state.live == nil || state.ownsReplicas() { // the cache may be stale
		if state, err = look(ctx, a.direct, desired); err != nil {
			return Result{}, err
		}
	}
	switch {
	case state.live == nil:
		if err := unstructured.SetNestedField(desired.Object, int64(minReplicas), "spec", "replicas"); err != nil {
			return Result{}, fmt.Errorf("set the replicas of %s: %w", name(desired), err)
		}
		if err := addHash(desired); err != nil {
			return Result{}, err
		}
	case state.ownsReplicas():
		if err := a.handOver(ctx, state.live, int64(minReplicas), int64(maxReplicas)); err != nil {
			return Result{}, err
		}
	}
	return a.apply(ctx, server, desired)
}

// ownsReplicas reports whether the operator still owns the number of pods.
func (s state) ownsReplicas() bool { return s.owned.Has(fieldpath.MakePathOrDie("spec", "replicas")) }

// handOver transfers the number of pods to another field manager: the current number, within the autoscaler's bounds. A
// Deployment without pods, such as one that was hibernated, gets the minimum, since an autoscaler leaves it at 0.
func (a *Applier) handOver(ctx context.Context, live *unstructured.Unstructured, minReplicas, maxReplicas int64) error {
	now, _, err := unstructured.NestedInt64(live.Object, "spec", "replicas")
	if err != nil {
		return fmt.Errorf("read the replicas of %s: %w", name(live), err)
	}
	number := &unstructured.Unstructured{Object: map[string]any{
		"metadata": map[string]any{"name": live.GetName(), "namespace": live.GetNamespace(), "uid": string(live.GetUID())},
		"spec":     map[string]any{"replicas": min(max(now, minReplicas), maxReplicas)},
	}}
	number.SetGroupVersionKind(live.GroupVersionKind())
	err = a.client.Apply(ctx, client.ApplyConfigurationFromUnstructured(number), client.FieldOwner(handoverOwner), client.ForceOwnership)
	if err != nil {
		return fmt.Errorf("release the replicas of %s: %w", name(live), err)
	}
	return nil
}
