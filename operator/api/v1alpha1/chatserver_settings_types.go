package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Monitoring configures objects for the Prometheus operator, if its CRDs are installed.
type Monitoring struct {
	// ServiceMonitor creates one for the services.
	// +optional
	ServiceMonitor bool `json:"serviceMonitor,omitempty"`
	// Rules creates alerting rules.
	// +optional
	Rules bool `json:"rules,omitempty"`
	// MetricsFrom selects pods that may read metrics, as peers of a NetworkPolicy. Default: pods of any namespace with the
	// label app.kubernetes.io/name: prometheus, which the Prometheus operator and charts set.
	// +optional
	// +kubebuilder:validation:MaxItems=16
	MetricsFrom []MetricsPeer `json:"metricsFrom,omitempty"`
	// Labels that Prometheus selects.
	// +optional
	// +kubebuilder:validation:MaxProperties=16
	Labels map[string]string `json:"labels,omitempty"`
}

// MetricsPeer selects pods that may read metrics.
// +kubebuilder:validation:XValidation:rule="has(self.namespaceSelector) || has(self.podSelector)",message="namespaceSelector or podSelector is needed; for all pods of the cluster: namespaceSelector: {}"
type MetricsPeer struct {
	// NamespaceSelector selects namespaces by label; {}: all. Default: the ChatServer's own.
	// +optional
	NamespaceSelector *metav1.LabelSelector `json:"namespaceSelector,omitempty"`
	// PodSelector selects pods in these namespaces by label. Default: all of them.
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
	// LogLevel of the services.
	// +optional
	// +kubebuilder:default=info
	// +kubebuilder:validation:Enum=debug;info;warn;error
	LogLevel string `json:"logLevel,omitempty"`
	// RateLimitPerUser is the number of requests per account and period: 200/60s.
	// +optional
	// +kubebuilder:validation:Pattern=`^[1-9][0-9]*/[0-9]+(ms|s|m|h)$`
	RateLimitPerUser string `json:"rateLimitPerUser,omitempty"`
	// TraceEndpoint is where traces are sent, by OTLP over HTTP.
	// +optional
	// +kubebuilder:validation:Pattern=`^https?://.+$`
	TraceEndpoint string `json:"traceEndpoint,omitempty"`
	// ImageProxy makes the service api fetch images of other servers for readers, which needs access to public
	// addresses. If Disabled, such images are shown as links.
	// +optional
	// +kubebuilder:default=Enabled
	ImageProxy Switch `json:"imageProxy,omitempty"`
}

// ServerSecrets configures the rotation of the operator's own token for the server and of the server's certificate for the operator.
// +kubebuilder:validation:XValidation:rule="!has(self.rotateAfter) || !self.rotateAfter.matches('^([0-9]{1,5}(h|m|s|ms)){1,4}$') || duration(self.rotateAfter) >= duration('1h')",message="rotateAfter must be at least 1h"
type ServerSecrets struct {
	// RotationToken replaces token and certificate at once when it changes. Its value has no meaning.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	RotationToken string `json:"rotationToken,omitempty"`
	// RotateAfter is the age at which token and certificate are replaced. A certificate is valid for a year, and is
	// replaced when a third of that is left.
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]{1,5}(h|m|s|ms)){1,4}$')",message="a duration is written in hours, minutes and seconds: 2160h, 1h30m, 45s; there are no days: 90 days are 2160h"
	RotateAfter *metav1.Duration `json:"rotateAfter,omitempty"`
}
