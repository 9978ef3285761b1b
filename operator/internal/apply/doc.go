// Package apply writes all objects of a ChatServer by server-side apply, and only if something differs: a pass that finds no
// difference writes nothing. Fields that others own stay unchanged, except in the specs of Deployments, StatefulSets, Services
// and NetworkPolicies. Changes of the operator's fields, and additions to these specs, are reverted and reported.
package apply

import (
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"chatserver.dev/operator/api/v1alpha1"
)

// handoverOwner is the field manager of the number of pods after the operator released it and before an autoscaler sets
// it.
const handoverOwner = v1alpha1.Manager + "-handover"

// annotationApplied has the hash of the object that was applied last, and the hash of the fields that the operator
// owned then. If only the second one differs, somebody else has changed the object.
const annotationApplied = v1alpha1.Group + "/applied"

// Deployment is the kind of the services.
func Deployment() schema.GroupVersionKind { return appsv1.SchemeGroupVersion.WithKind("Deployment") }

// StatefulSet is the kind of trial servers.
func StatefulSet() schema.GroupVersionKind { return appsv1.SchemeGroupVersion.WithKind("StatefulSet") }

// Job is the kind of migrations.
func Job() schema.GroupVersionKind { return batchv1.SchemeGroupVersion.WithKind("Job") }

// PersistentVolumeClaim is the kind of trial servers' volumes.
func PersistentVolumeClaim() schema.GroupVersionKind {
	return corev1.SchemeGroupVersion.WithKind("PersistentVolumeClaim")
}

// HorizontalPodAutoscaler is the kind of autoscalers.
func HorizontalPodAutoscaler() schema.GroupVersionKind {
	return autoscalingv2.SchemeGroupVersion.WithKind("HorizontalPodAutoscaler")
}

// ScalingKinds are the kinds that determine the number of pods.
func ScalingKinds() []schema.GroupVersionKind {
	return []schema.GroupVersionKind{HorizontalPodAutoscaler(), disruptionBudget()}
}

func disruptionBudget() schema.GroupVersionKind {
	return policyv1.SchemeGroupVersion.WithKind("PodDisruptionBudget")
}

// Kinds are the kinds that every cluster serves and whose objects can be recreated at any time.
func Kinds() []schema.GroupVersionKind {
	return append(ScalingKinds(), Deployment(), StatefulSet(), Job(), service(), NetworkPolicy(), Ingress(),
		corev1.SchemeGroupVersion.WithKind("ServiceAccount"))
}

func service() schema.GroupVersionKind { return corev1.SchemeGroupVersion.WithKind("Service") }

// Ingress is the kind of routes without a Gateway.
func Ingress() schema.GroupVersionKind { return networkingv1.SchemeGroupVersion.WithKind("Ingress") }

// NetworkPolicy is the kind that restricts the connections of pods.
func NetworkPolicy() schema.GroupVersionKind {
	return networkingv1.SchemeGroupVersion.WithKind("NetworkPolicy")
}
