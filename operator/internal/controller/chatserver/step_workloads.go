package chatserver

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/apply"
	"chatserver.dev/operator/internal/render"
	"chatserver.dev/operator/internal/upgrade"
)

// scaling applies autoscalers and disruption budgets, and deletes old ones: a leftover autoscaler would conflict with the
// spec's number of pods.
func scaling(ctx context.Context, s *scope) error {
	if err := s.apply(ctx, render.Scaling(s.server)...); err != nil {
		return err
	}
	if err := s.prune(ctx, apply.ScalingKinds()...); err != nil {
		return err
	}
	for _, component := range render.Components() {
		if render.ComponentSpec(s.server, component).Autoscaling == nil || s.server.Spec.State == v1alpha1.StateHibernated {
			continue
		}
		if err := s.noteAutoscaler(ctx, component); err != nil {
			return err
		}
	}
	return nil
}

// noteAutoscaler reports an autoscaler that can't read the load, for example because there is no metrics server. The
// number of pods then stays the same.
func (s *scope) noteAutoscaler(ctx context.Context, component render.Component) error {
	scaler := &autoscalingv2.HorizontalPodAutoscaler{}
	name := s.server.Name + "-" + string(component)
	found, err := s.get(ctx, apply.HorizontalPodAutoscaler(), name, scaler)
	if err != nil || !found {
		return err
	}
	for _, c := range scaler.Status.Conditions {
		if c.Type == autoscalingv2.ScalingActive && c.Status == corev1.ConditionFalse {
			s.notes = append(s.notes, fmt.Sprintf("HorizontalPodAutoscaler %s doesn't scale: %s", name, c.Message))
		}
	}
	return nil
}

// workloads rolls out the services one by one, each when all pods of the previous one are replaced and ready. A service that
// has no pods yet starts at once: there is nothing to lose.
func workloads(ctx context.Context, s *scope) error {
	settled := s.conditions.Is(v1alpha1.ConditionRolledOut)
	var first error // why the first service that isn't rolled out isn't
	for _, component := range render.Components() {
		if first != nil {
			if runs, err := s.hasPods(ctx, component); err != nil || runs {
				return cmp.Or(err, first)
			}
		}
		deployment, changed, err := s.workload(ctx, component)
		if err != nil {
			return err
		}
		first = cmp.Or(first, s.rolledOut(ctx, component, deployment, settled && !changed))
	}
	if first != nil {
		return first
	}
	s.conditions.True(v1alpha1.ConditionRolledOut, v1alpha1.ReasonRolledOut, "all pods match the spec and have been ready")
	return nil
}

// workload applies the Deployment of a service. It returns the live Deployment and whether it has changed.
func (s *scope) workload(ctx context.Context, component render.Component) (deployment *appsv1.Deployment, changed bool, err error) {
	object, err := render.Workload(s.server, s.inputs, component)
	if err != nil {
		return nil, false, s.refused(err)
	}
	var result apply.Result
	if scale := render.ComponentSpec(s.server, component).Autoscaling; scale == nil || s.server.Spec.State == v1alpha1.StateHibernated {
		result, err = s.applier.Apply(ctx, s.server, object)
	} else {
		result, err = s.applier.ApplyScaled(ctx, s.server, object, scale.MinReplicas, scale.MaxReplicas)
	}
	if err != nil {
		return nil, false, s.refused(err)
	}
	s.noteResult(result)
	deployment = &appsv1.Deployment{}
	return deployment, result.Changed, decode(result.Live, deployment)
}

// hasPods reports whether the Deployment of a service has pods, ready or not.
func (s *scope) hasPods(ctx context.Context, component render.Component) (bool, error) {
	deployment := &appsv1.Deployment{}
	found, err := s.get(ctx, apply.Deployment(), s.server.Name+"-"+string(component), deployment)
	return found && deployment.Status.Replicas > 0, err
}

// rolledOut waits for the pods of a Deployment.
func (s *scope) rolledOut(ctx context.Context, component render.Component, deployment *appsv1.Deployment, settled bool) error {
	progress := upgrade.Rollout(deployment, settled)
	if progress == upgrade.Done {
		return nil
	}
	trouble, pull, err := s.trouble(ctx, s.labelsOf(component), progress == upgrade.TooSlow)
	if err != nil {
		return err
	}
	trouble = cmp.Or(trouble, upgrade.Uncreated(deployment))
	reason := v1alpha1.ReasonRolloutRunning
	if progress == upgrade.TooSlow {
		reason = v1alpha1.ReasonRolloutFailed
	}
	if pull {
		reason = v1alpha1.ReasonImagePullFailed
	}
	if progress == upgrade.TooSlow {
		next := "correct the cause or the spec"
		if s.server.Status.Version != "" {
			next = "correct the cause or revert the spec: the previous pods are still running"
		}
		return terminal(v1alpha1.ConditionRolledOut, reason, fmt.Errorf("new pods of Deployment %s didn't become ready in time%s; %s", deployment.Name, trouble, next))
	}
	return waitForPods(v1alpha1.ConditionRolledOut, reason, "Deployment %s is replacing its pods%s", deployment.Name, trouble)
}

// sleep stops the services' pods, one service after the other, dependents first. A terminating pod still uses other
// services while it drains, and its Deployment doesn't count it.
func sleep(ctx context.Context, s *scope) error {
	s.conditions.Remove(v1alpha1.ConditionRolledOut)
	components := render.Components()
	slices.Reverse(components)
	for _, component := range components {
		deployment, _, err := s.workload(ctx, component)
		if err != nil {
			return err
		}
		if deployment.Status.Replicas > 0 || deployment.Status.ObservedGeneration < deployment.Generation {
			return wait("", v1alpha1.ReasonProgressing, "Deployment %s still has pods", deployment.Name)
		}
		if err := s.ended(ctx, "Deployment "+deployment.Name, s.labelsOf(component)); err != nil {
			return err
		}
	}
	return nil
}

// ended waits until the last pod with some labels has terminated. Pods aren't watched.
func (s *scope) ended(ctx context.Context, of string, labels map[string]string) error {
	pods, err := s.pods(ctx, labels)
	if err != nil {
		return err
	}
	for i := range pods {
		if phase := pods[i].Status.Phase; phase != corev1.PodSucceeded && phase != corev1.PodFailed {
			return waitAwhile(lookAtEnding, "", v1alpha1.ReasonProgressing, "%s still has pods: %s is ending", of, pods[i].Name)
		}
	}
	return nil
}
