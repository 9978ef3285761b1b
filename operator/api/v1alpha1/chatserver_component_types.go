package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Image configures where images are pulled from.
type Image struct {
	// Repository is the prefix of the images: the image of api is <repository>/api:<version>.
	// Empty: the operator's own default.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:XValidation:rule=`self == "" || self.matches(r'^([a-zA-Z0-9]([-a-zA-Z0-9.]*[a-zA-Z0-9])?(:[0-9]{1,5})?|\[[0-9a-fA-F:]+\](:[0-9]{1,5})?|[a-z0-9]+([._-]+[a-z0-9]+)*)(/[a-z0-9]+([._-]+[a-z0-9]+)*)*$')`,message="repository is a registry and a path in lower case, without a scheme, tag or digest: registry.example/chatserver"
	Repository string `json:"repository,omitempty"`
	// Digests pin images by component: api, events, webhook; sha256:….
	// +optional
	// +kubebuilder:validation:MaxProperties=3
	// +kubebuilder:validation:XValidation:rule="self.all(k, k in ['api', 'events', 'webhook'] && self[k].matches('^sha256:[0-9a-f]{64}$'))",message="digests have the keys api, events and webhook, and values such as sha256:… with 64 hexadecimal digits"
	Digests map[string]string `json:"digests,omitempty"`
	// PullPolicy of all containers.
	// +optional
	// +kubebuilder:default=IfNotPresent
	// +kubebuilder:validation:Enum=Always;IfNotPresent;Never
	PullPolicy corev1.PullPolicy `json:"pullPolicy,omitempty"`
	// PullSecrets for the registry.
	// +optional
	// +kubebuilder:validation:MaxItems=8
	// +listType=map
	// +listMapKey=name
	PullSecrets []PullSecret `json:"pullSecrets,omitempty"`
}

// PullSecret is a Secret with a login to a registry.
type PullSecret struct {
	// Name of the Secret.
	Name ObjectName `json:"name"`
}

// ImageName is the name of an image.
// +kubebuilder:validation:MaxLength=512
// +kubebuilder:validation:XValidation:rule=`self == "" || self.matches(r'^(([a-zA-Z0-9]([-a-zA-Z0-9.]*[a-zA-Z0-9])?|\[[0-9a-fA-F:]+\])(:[0-9]{1,5})?/)?[a-z0-9]+([._-]+[a-z0-9]+)*(/[a-z0-9]+([._-]+[a-z0-9]+)*)*(:[a-zA-Z0-9_][-a-zA-Z0-9_.]{0,127})?(@[a-z0-9]+:[0-9a-f]{32,})?$')`,message="the name of an image has a registry, a path in lower case, and a tag or digest, without a scheme: registry.example/postgres:17"
type ImageName = string

// Autoscaling scales the number of pods with their load.
// +kubebuilder:validation:XValidation:rule="self.minReplicas <= self.maxReplicas",message="minReplicas must not exceed maxReplicas"
type Autoscaling struct {
	// MinReplicas is the minimum number of pods.
	// +optional
	// +kubebuilder:default=2
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	MinReplicas int32 `json:"minReplicas,omitempty"`
	// MaxReplicas is the maximum number of pods.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	MaxReplicas int32 `json:"maxReplicas"`
	// TargetCPUUtilizationPercentage is the target CPU utilization, as a percentage of the requested CPU.
	// +optional
	// +kubebuilder:default=70
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	TargetCPUUtilizationPercentage int32 `json:"targetCPUUtilizationPercentage,omitempty"`
}

// Component configures one of the services.
// +kubebuilder:validation:XValidation:rule="!has(self.autoscaling) || !has(oldSelf.autoscaling) || !has(self.replicas) || !has(oldSelf.replicas) || self.replicas == oldSelf.replicas || self.replicas == 2",message="replicas has no effect while autoscaling is set, so it can't be changed: remove it, change autoscaling.minReplicas and maxReplicas, or remove autoscaling"
// +kubebuilder:validation:XValidation:rule="!has(self.autoscaling) || !has(self.resources) || (has(self.resources.requests) && 'cpu' in self.resources.requests) || (has(self.resources.limits) && 'cpu' in self.resources.limits)",message="autoscaling needs resources.requests.cpu: the load is measured against it; add it, or leave resources out"
type Component struct {
	// Replicas is the number of pods. With autoscaling it has no effect, and can only be removed.
	// +optional
	// +kubebuilder:default=2
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1000
	Replicas *int32 `json:"replicas,omitempty"`
	// Autoscaling sets the number of pods instead of Replicas.
	// +optional
	Autoscaling *Autoscaling `json:"autoscaling,omitempty"`
	// Resources of the container. Default: requests of 50m of CPU and 64Mi of memory, and a memory limit of 512Mi; for events, requests
	// of 50m and 128Mi, and a limit of 1Gi.
	// +optional
	Resources *ContainerResources `json:"resources,omitempty"`
	// PodTemplate is a strategic merge patch for the pod template, for settings without a field here. It can't change
	// the image, the selector or the ports.
	// +optional
	// +kubebuilder:pruning:PreserveUnknownFields
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=object
	PodTemplate *runtime.RawExtension `json:"podTemplate,omitempty"`
}

// ContainerResources are the resource requests and limits of a container.
type ContainerResources struct {
	// Requests are the resources reserved for the container.
	// +optional
	Requests corev1.ResourceList `json:"requests,omitempty"`
	// Limits are the maximum resources of the container.
	// +optional
	Limits corev1.ResourceList `json:"limits,omitempty"`
}

// Upgrade configures the rollout of a new version.
// +kubebuilder:validation:XValidation:rule="!has(self.migrationTimeout) || !self.migrationTimeout.matches('^([0-9]{1,5}(h|m|s|ms)){1,4}$') || duration(self.migrationTimeout) >= duration('10s')",message="migrationTimeout must be at least 10s"
// +kubebuilder:validation:XValidation:rule="!has(self.progressDeadline) || !self.progressDeadline.matches('^([0-9]{1,5}(h|m|s|ms)){1,4}$') || duration(self.progressDeadline) >= duration('30s')",message="progressDeadline must be at least 30s: pods need some time to start"
type Upgrade struct {
	// MigrationTimeout is the timeout of the Job that migrates the schema.
	// +optional
	// +kubebuilder:default="30m"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]{1,5}(h|m|s|ms)){1,4}$')",message="a duration is written in hours, minutes and seconds: 2160h, 1h30m, 45s; there are no days: 90 days are 2160h"
	MigrationTimeout *metav1.Duration `json:"migrationTimeout,omitempty"`
	// ProgressDeadline is how long a component's pods may take to become ready.
	// +optional
	// +kubebuilder:default="10m"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]{1,5}(h|m|s|ms)){1,4}$')",message="a duration is written in hours, minutes and seconds: 2160h, 1h30m, 45s; there are no days: 90 days are 2160h"
	ProgressDeadline *metav1.Duration `json:"progressDeadline,omitempty"`
	// PodTemplate is a strategic merge patch for the Job's pod template.
	// +optional
	// +kubebuilder:pruning:PreserveUnknownFields
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=object
	PodTemplate *runtime.RawExtension `json:"podTemplate,omitempty"`
}
