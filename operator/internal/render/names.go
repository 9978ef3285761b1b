package render

import (
	"maps"

	"k8s.io/apimachinery/pkg/util/validation"
	meta "k8s.io/client-go/applyconfigurations/meta/v1"

	"chatserver.dev/operator/api/v1alpha1"
)

// annotationInputs is the annotation of pods with a hash of the values that they read when they start.
const annotationInputs = v1alpha1.Group + "/inputs"

// name returns the name of an object of a server, such as main-api.
func name(server *v1alpha1.ChatServer, suffix string) string { return server.Name + "-" + suffix }

// selector returns the labels that select pods. They never change, because the selector of a Deployment is immutable.
func selector(server *v1alpha1.ChatServer, component Component) map[string]string {
	return map[string]string{v1alpha1.LabelName: v1alpha1.Product, v1alpha1.LabelInstance: server.Name, v1alpha1.LabelComponent: string(component)}
}

// ownPodLabels returns the labels of pods that the spec can't replace. The version isn't among them: pods would be replaced when it
// changes.
func ownPodLabels(server *v1alpha1.ChatServer, component Component) map[string]string {
	labels := selector(server, component)
	labels[v1alpha1.LabelPartOf] = v1alpha1.Product
	labels[v1alpha1.LabelManagedBy] = v1alpha1.Manager
	return labels
}

// podLabels returns the labels of pods, with those of the spec.
func podLabels(server *v1alpha1.ChatServer, component Component) map[string]string {
	labels := ownPodLabels(server, component)
	for key, value := range server.Spec.CommonLabels { // none is the operator's own
		labels[key] = string(value)
	}
	return labels
}

func labels(server *v1alpha1.ChatServer, component Component) map[string]string {
	labels := podLabels(server, component)
	// A prerelease version can be too long for a label.
	if version := server.Spec.Version; len(validation.IsValidLabelValue(version)) == 0 {
		labels[v1alpha1.LabelVersion] = version
	}
	return labels
}

// serverLabels returns the labels of objects that belong to no component.
func serverLabels(server *v1alpha1.ChatServer) map[string]string {
	labels := labels(server, "")
	delete(labels, v1alpha1.LabelComponent)
	return labels
}

// annotations returns the annotations of an object: its own, and those of the spec that it doesn't have; nil: none.
func annotations(server *v1alpha1.ChatServer, own map[string]string) map[string]string {
	if len(own)+len(server.Spec.CommonAnnotations) == 0 {
		return nil
	}
	all := make(map[string]string, len(own)+len(server.Spec.CommonAnnotations))
	for key, value := range server.Spec.CommonAnnotations {
		all[key] = string(value)
	}
	maps.Copy(all, own)
	return all
}

// owner returns an owner reference, which causes an object to be deleted with its server.
func owner(server *v1alpha1.ChatServer) *meta.OwnerReferenceApplyConfiguration {
	return meta.OwnerReference().WithAPIVersion(v1alpha1.GroupVersion().String()).WithKind("ChatServer").
		WithName(server.Name).WithUID(server.UID).WithController(true)
}

func selects(labels map[string]string) *meta.LabelSelectorApplyConfiguration {
	return meta.LabelSelector().WithMatchLabels(labels)
}
