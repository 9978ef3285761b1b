package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Monitoring says what is made for Prometheus, where its CRDs are served.
type Monitoring struct {
	// ServiceMonitor for the services.
	// +optional
	ServiceMonitor bool `json:"serviceMonitor,omitempty"`
	// Rules are alerts.
	// +optional
	Rules bool `json:"rules,omitempty"`
	// MetricsFrom says which pods may read metrics, as peers of a NetworkPolicy. Empty: pods of any namespace with the
	// label app.kubernetes.io/name: prometheus, as Prometheus has from its operator and its charts.
	// +optional
	// +kubebuilder:validation:MaxItems=16
	MetricsFrom []MetricsPeer `json:"metricsFrom,omitempty"`
	// Labels that Prometheus looks for.
	// +optional
	// +kubebuilder:validation:MaxProperties=16
	Labels map[string]string `json:"labels,omitempty"`
}

// MetricsPeer selects pods that may read metrics.
// +kubebuilder:validation:XValidation:rule="has(self.namespaceSelector) || has(self.podSelector)",message="namespaceSelector or podSelector is needed; for all pods of the cluster: namespaceSelector: {}"
type MetricsPeer struct {
	// NamespaceSelector picks namespaces by their labels; {}: all. Left out: the ChatServer's own.
	// +optional
	NamespaceSelector *metav1.LabelSelector `json:"namespaceSelector,omitempty"`
	// PodSelector picks pods in these namespaces by their labels. Left out: all of them.
	// +optional
	PodSelector *metav1.LabelSelector `json:"podSelector,omitempty"`
}

// Switch turns something on or off.
// +kubebuilder:validation:Enum=Enabled;Disabled
type Switch string

// On or off.
const (
	Enabled  Switch = "Enabled"
	Disabled Switch = "Disabled"
)

// Settings are the server's own.
type Settings struct {
	// LogLevel is how much the services say.
	// +optional
	// +kubebuilder:default=info
	// +kubebuilder:validation:Enum=debug;info;warn;error
	LogLevel string `json:"logLevel,omitempty"`
	// RateLimitPerUser is how many calls an account may make in how much time: 200/60s.
	// +optional
	// +kubebuilder:validation:Pattern=`^[1-9][0-9]*/[0-9]+(ms|s|m|h)$`
	RateLimitPerUser string `json:"rateLimitPerUser,omitempty"`
	// TraceEndpoint is where traces are sent, by OTLP over HTTP.
	// +optional
	// +kubebuilder:validation:Pattern=`^https?://.+$`
	TraceEndpoint string `json:"traceEndpoint,omitempty"`
	// ImageProxy says whether the service api fetches images of other servers for readers, which needs a way out to
	// public addresses. Disabled: such images are links.
	// +optional
	// +kubebuilder:default=Enabled
	ImageProxy Switch `json:"imageProxy,omitempty"`
}

// ServerSecrets says when the operator's own token for the server, and the certificate that it knows the server by, are replaced.
// +kubebuilder:validation:XValidation:rule="!has(self.rotateAfter) || !self.rotateAfter.matches('^([0-9]{1,5}(h|m|s|ms)){1,4}$') || duration(self.rotateAfter) >= duration('1h')",message="rotateAfter must be at least 1h"
type ServerSecrets struct {
	// RotationToken replaces token and certificate at once when it is changed. Its value means nothing.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	RotationToken string `json:"rotationToken,omitempty"`
	// RotateAfter replaces token and certificate when they are as old as that. A certificate counts for a year, and is
	// replaced when a third of that is left.
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]{1,5}(h|m|s|ms)){1,4}$')",message="a duration is written in hours, minutes and seconds: 2160h, 1h30m, 45s; there are no days: 90 days are 2160h"
	RotateAfter *metav1.Duration `json:"rotateAfter,omitempty"`
}
