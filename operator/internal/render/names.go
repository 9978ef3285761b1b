package render

import (
	"k8s.io/apimachinery/pkg/util/validation"
	meta "k8s.io/client-go/applyconfigurations/meta/v1"

	"chatserver.dev/operator/api/v1alpha1"
)

// annotationInputs on pods has the hash of what they read when they start.
const annotationInputs = v1alpha1.Group + "/inputs"

// name of an object of a server, such as main-api.
func name(server *v1alpha1.ChatServer, suffix string) string { return server.Name + "-" + suffix }

// selector has the labels that pods are found by, and never others: those of a Deployment can't be changed.
func selector(server *v1alpha1.ChatServer, component Component) map[string]string {
	return map[string]string{v1alpha1.LabelName: v1alpha1.Product, v1alpha1.LabelInstance: server.Name, v1alpha1.LabelComponent: string(component)}
}

// podLabels lack the version, so that a pod isn't replaced for the sake of a label.
func podLabels(server *v1alpha1.ChatServer, component Component) map[string]string {
	labels := selector(server, component)
	labels[v1alpha1.LabelPartOf] = v1alpha1.Product
	labels[v1alpha1.LabelManagedBy] = v1alpha1.Manager
	return labels
}

func labels(server *v1alpha1.ChatServer, component Component) map[string]string {
	labels := podLabels(server, component)
	// A prerelease can be longer than a label.
	if version := server.Spec.Version; len(validation.IsValidLabelValue(version)) == 0 {
		labels[v1alpha1.LabelVersion] = version
	}
	return labels
}

// commonLabels are for what is of no component.
func commonLabels(server *v1alpha1.ChatServer) map[string]string {
	labels := labels(server, "")
	delete(labels, v1alpha1.LabelComponent)
	return labels
}

// owner makes an object go with its server.
func owner(server *v1alpha1.ChatServer) *meta.OwnerReferenceApplyConfiguration {
	return meta.OwnerReference().WithAPIVersion(v1alpha1.GroupVersion().String()).WithKind("ChatServer").
		WithName(server.Name).WithUID(server.UID).WithController(true)
}

func selects(labels map[string]string) *meta.LabelSelectorApplyConfiguration {
	return meta.LabelSelector().WithMatchLabels(labels)
}
