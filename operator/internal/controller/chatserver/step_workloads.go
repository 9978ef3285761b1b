package chatserver

import (
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

// scaling applies what says how many pods there are, and takes away what no longer does: an autoscaler
// that is left over would fight the number of the spec.
func scaling(ctx context.Context, s *scope) outcome {
	if out := s.apply(ctx, render.Scaling(s.server, s.inputs)...); out.err != nil {
		return out
	}
	if _, err := s.applier.Prune(ctx, s.server, apply.ScalingKinds(), s.inventory); err != nil {
		return failed(err)
	}
	for _, component := range render.Components() {
		if s.component(component).Autoscaling == nil || s.server.Spec.State == v1alpha1.StateHibernated {
			continue
		}
		if err := s.noteAutoscaler(ctx, component); err != nil {
			return failed(err)
		}
	}
	return proceed()
}

// noteAutoscaler reports an autoscaler that can't read the load, for want of a metrics server, say. The number of pods
// stays what it is then.
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

// workloads rolls the services out, each when all pods of the one before are replaced and ready.
func workloads(ctx context.Context, s *scope) outcome {
	settled := s.conditions.Is(v1alpha1.ConditionRolledOut)
	for _, component := range render.Components() {
		deployment, changed, out := s.workload(ctx, component)
		if out.err == nil && component == render.API {
			s.callAs(deployment)
		}
		if out.err == nil {
			out = s.rolledOut(ctx, component, deployment, settled && !changed)
		}
		if out.err != nil {
			return out
		}
	}
	s.conditions.True(v1alpha1.ConditionRolledOut, v1alpha1.ReasonRolledOut, "all pods are as the spec says, and have been ready")
	return proceed()
}

// workload applies the Deployment of a service, and returns it as it is now, and whether that changed it.
func (s *scope) workload(ctx context.Context, component render.Component) (deployment *appsv1.Deployment, changed bool, out outcome) {
	object, err := render.Workload(s.server, s.inputs, component)
	if err != nil {
		return nil, false, refused(err)
	}
	var result apply.Result
	if scale := s.component(component).Autoscaling; scale == nil || s.server.Spec.State == v1alpha1.StateHibernated {
		result, err = s.applier.Apply(ctx, s.server, object)
	} else {
		result, err = s.applier.ApplyScaled(ctx, s.server, object, scale.MinReplicas, scale.MaxReplicas)
	}
	if err != nil {
		return nil, false, refused(err)
	}
	s.took(result)
	deployment = &appsv1.Deployment{}
	if err := decode(result.Live, deployment); err != nil {
		return nil, false, failed(err)
	}
	return deployment, result.Changed, proceed()
}

func (s *scope) component(component render.Component) v1alpha1.Component {
	switch component {
	case render.API:
		return s.server.Spec.API
	case render.Events:
		return s.server.Spec.Events
	case render.Webhook, render.Migrate, render.Postgres, render.Redis: // the last three are no services
	}
	return s.server.Spec.Webhook
}

// rolledOut waits for the pods of a Deployment.
func (s *scope) rolledOut(ctx context.Context, component render.Component, deployment *appsv1.Deployment, settled bool) outcome {
	progress := upgrade.Rollout(deployment, settled)
	if progress == upgrade.Done {
		return proceed()
	}
	trouble, pull, err := s.trouble(ctx, s.labelsOf(component))
	if err != nil {
		return failed(err)
	}
	if progress == upgrade.TooSlow {
		reason := v1alpha1.ReasonRolloutFailed
		if pull {
			reason = v1alpha1.ReasonImagePullFailed
		}
		return terminal(v1alpha1.ConditionRolledOut, reason, fmt.Errorf(
			"new pods of Deployment %s didn't become ready in time%s; change what it says or set the spec back: the pods before are still there", deployment.Name, trouble))
	}
	reason := v1alpha1.ReasonRolloutRunning
	if pull {
		reason = v1alpha1.ReasonImagePullFailed
	}
	return waitForPods(v1alpha1.ConditionRolledOut, reason, "Deployment %s replaces its pods%s", deployment.Name, trouble)
}

// sleep takes the services' pods away, in the order in which nobody misses another: each service has ended before
// the next one has to. A pod that ends still needs what it drains into, and a Deployment doesn't count it.
func sleep(ctx context.Context, s *scope) outcome {
	s.conditions.Remove(v1alpha1.ConditionRolledOut)
	components := render.Components()
	slices.Reverse(components)
	for _, component := range components {
		deployment, _, out := s.workload(ctx, component)
		if out.err != nil {
			return out
		}
		if deployment.Status.Replicas > 0 || deployment.Status.ObservedGeneration < deployment.Generation {
			return wait("", v1alpha1.ReasonProgressing, "Deployment %s still has pods", deployment.Name)
		}
		if out := s.ended(ctx, "Deployment "+deployment.Name, s.labelsOf(component)); out.err != nil {
			return out
		}
	}
	return proceed()
}

// ended waits until the last pod with some labels has ended. Pods aren't watched.
func (s *scope) ended(ctx context.Context, of string, labels map[string]string) outcome {
	pods, err := s.pods(ctx, labels)
	if err != nil {
		return failed(err)
	}
	for i := range pods {
		if phase := pods[i].Status.Phase; phase != corev1.PodSucceeded && phase != corev1.PodFailed {
			return waitAwhile(lookAtEnding, "", v1alpha1.ReasonProgressing, "%s still has pods: %s is ending", of, pods[i].Name)
		}
	}
	return proceed()
}
