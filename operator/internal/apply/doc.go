// Package apply is the only one that writes the objects of a ChatServer. It uses server-side apply, and only when
// something differs. Fields that others own stay unchanged, except in the specs of Deployments and StatefulSets. Changes of
// the operator's fields, and additions to these specs, are reverted and reported. A pass that finds no difference writes
// nothing.
package apply

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"chatserver.dev/operator/api/v1alpha1"
)

// handoverOwner is the field manager of the number of pods between the operator and an autoscaler.
const handoverOwner = v1alpha1.Manager + "-handover"

// annotationApplied has the hash of what was applied last. If that is the hash of the desired object, but the object
// differs, somebody else has changed it.
const annotationApplied = v1alpha1.Group + "/applied"

// Deployment is the kind of services.
func Deployment() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}
}

// StatefulSet is the kind of trial servers.
func StatefulSet() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "StatefulSet"}
}

// Job is the kind of migrations.
func Job() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: "batch", Version: "v1", Kind: "Job"}
}

// PersistentVolumeClaim is the kind of trial servers' volumes.
func PersistentVolumeClaim() schema.GroupVersionKind {
	return schema.GroupVersionKind{Version: "v1", Kind: "PersistentVolumeClaim"}
}

// HorizontalPodAutoscaler is the kind of autoscalers.
func HorizontalPodAutoscaler() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: "autoscaling", Version: "v2", Kind: "HorizontalPodAutoscaler"}
}

// ScalingKinds are the kinds that determine the number of pods.
func ScalingKinds() []schema.GroupVersionKind {
	return []schema.GroupVersionKind{
		HorizontalPodAutoscaler(),
		{Group: "policy", Version: "v1", Kind: "PodDisruptionBudget"},
	}
}

// Kinds are the kinds that every cluster serves and whose objects can be recreated at any time.
func Kinds() []schema.GroupVersionKind {
	return append(ScalingKinds(), Deployment(), StatefulSet(), Job(),
		schema.GroupVersionKind{Group: "networking.k8s.io", Version: "v1", Kind: "Ingress"},
		schema.GroupVersionKind{Group: "networking.k8s.io", Version: "v1", Kind: "NetworkPolicy"},
		schema.GroupVersionKind{Version: "v1", Kind: "Service"},
		schema.GroupVersionKind{Version: "v1", Kind: "ServiceAccount"})
}
