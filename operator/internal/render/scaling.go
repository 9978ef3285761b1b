package render

import (
	"cmp"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	autoscaling "k8s.io/client-go/applyconfigurations/autoscaling/v2"
	policy "k8s.io/client-go/applyconfigurations/policy/v1"

	"chatserver.dev/operator/api/v1alpha1"
)

// defaultUtilization is a percentage of the requested processor time.
const defaultUtilization = 70

// Scaling renders autoscalers and disruption budgets.
func Scaling(server *v1alpha1.ChatServer) []Object {
	if hibernated(server) {
		return nil
	}
	var objects []Object
	for _, component := range Components() {
		// One pod may be evicted, so a node with a single pod can be drained.
		objects = append(objects, disruptionBudget(server, component))
		if s := ComponentSpec(server, component); s.Autoscaling != nil {
			objects = append(objects, autoscaler(server, component, s.Autoscaling))
		}
	}
	return objects
}

func disruptionBudget(server *v1alpha1.ChatServer, component Component) Object {
	return policy.PodDisruptionBudget(name(server, string(component)), server.Namespace).
		WithLabels(labels(server, component)).WithAnnotations(annotations(server, nil)).WithOwnerReferences(owner(server)).
		WithSpec(policy.PodDisruptionBudgetSpec().
			WithMaxUnavailable(intstr.FromInt32(1)).
			WithUnhealthyPodEvictionPolicy(policyv1.AlwaysAllow).
			WithSelector(selects(selector(server, component))))
}

func autoscaler(server *v1alpha1.ChatServer, component Component, scale *v1alpha1.Autoscaling) Object {
	return autoscaling.HorizontalPodAutoscaler(name(server, string(component)), server.Namespace).
		WithLabels(labels(server, component)).WithAnnotations(annotations(server, nil)).WithOwnerReferences(owner(server)).
		WithSpec(autoscaling.HorizontalPodAutoscalerSpec().
			WithScaleTargetRef(autoscaling.CrossVersionObjectReference().
				WithAPIVersion("apps/v1").WithKind("Deployment").WithName(name(server, string(component)))).
			WithMinReplicas(fewest(server, component)).
			WithMaxReplicas(scale.MaxReplicas).
			WithMetrics(autoscaling.MetricSpec().WithType(autoscalingv2.ResourceMetricSourceType).
				WithResource(autoscaling.ResourceMetricSource().WithName(corev1.ResourceCPU).
					WithTarget(autoscaling.MetricTarget().WithType(autoscalingv2.UtilizationMetricType).
						WithAverageUtilization(cmp.Or(scale.TargetCPUUtilizationPercentage, defaultUtilization))))))
}
