// Package apply is the only one that writes the objects a ChatServer is made of. It applies them by
// server-side apply, and only when something differs: what others own stays theirs, but for the specs of
// Deployments and StatefulSets; what they take from us or add there is reverted and reported; and a pass that
// finds everything in place writes nothing.
package apply

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"chatserver.dev/operator/api/v1alpha1"
)

// handoverOwner keeps the number of pods between the operator and an autoscaler.
const handoverOwner = v1alpha1.Manager + "-handover"

// annotationApplied has a sum of what was applied last: where it is that of what is to be, and the object
// differs all the same, somebody else has changed it.
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

// ScalingKinds say how many pods there are.
func ScalingKinds() []schema.GroupVersionKind {
	return []schema.GroupVersionKind{
		HorizontalPodAutoscaler(),
		{Group: "policy", Version: "v1", Kind: "PodDisruptionBudget"},
	}
}

// Kinds are those that every cluster serves and that can be made again at any time.
func Kinds() []schema.GroupVersionKind {
	return append(ScalingKinds(), Deployment(), StatefulSet(), Job(),
		schema.GroupVersionKind{Group: "networking.k8s.io", Version: "v1", Kind: "Ingress"},
		schema.GroupVersionKind{Group: "networking.k8s.io", Version: "v1", Kind: "NetworkPolicy"},
		schema.GroupVersionKind{Version: "v1", Kind: "Service"},
		schema.GroupVersionKind{Version: "v1", Kind: "ServiceAccount"})
}
