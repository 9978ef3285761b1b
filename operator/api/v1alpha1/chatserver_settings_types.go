package v1alpha1

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Monitoring configures objects for the Prometheus operator. They are created only if its CRDs are installed.
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
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	MetricsFrom []PodPeer `json:"metricsFrom,omitempty"`
	// Labels that Prometheus selects.
	// +optional
	// +kubebuilder:validation:MaxProperties=16
	Labels map[string]string `json:"labels,omitempty"`
}

// PodPeer selects pods that may connect, as a peer of a NetworkPolicy.
// +kubebuilder:validation:XValidation:rule="has(self.namespaceSelector) || has(self.podSelector)",message="namespaceSelector or podSelector is needed; for all pods of the cluster: namespaceSelector: {}"
type PodPeer struct {
	// NamespaceSelector selects namespaces by label; {}: all. Default: the ChatServer's own.
	// +optional
	NamespaceSelector *metav1.LabelSelector `json:"namespaceSelector,omitempty"`
	// PodSelector selects pods in these namespaces by label. Default: all of them.
	// +optional
	PodSelector *metav1.LabelSelector `json:"podSelector,omitempty"`
}

// Switch enables or disables a feature.
// +kubebuilder:validation:Enum=Enabled;Disabled
type Switch string

// Values of Switch.
const (
	Enabled  Switch = "Enabled"
	Disabled Switch = "Disabled"
)

// Settings are settings of the services.
type Settings struct {
	// LogLevel of the services.
	// +optional
	// +kubebuilder:default=info
	// +kubebuilder:validation:Enum=debug;info;warn;error
	LogLevel string `json:"logLevel,omitempty"`
	// RateLimitPerUser is the number of requests per account and period. Default: 200/60s.
	// +optional
	RateLimitPerUser RateLimit `json:"rateLimitPerUser,omitempty"`
	// TraceEndpoint is where traces are sent, by OTLP over HTTP.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^https?://.+$')`,message="traceEndpoint begins with http:// or https://: http://traces.example:4318"
	TraceEndpoint string `json:"traceEndpoint,omitempty"`
	// ImageProxy makes the service api fetch images from other servers for its users, which needs access to public
	// addresses. If Disabled, such images are shown as links.
	// +optional
	// +kubebuilder:default=Enabled
	ImageProxy Switch `json:"imageProxy,omitempty"`
	// ImageProxyMaxSize is the maximum size of a fetched image; by default 10Mi.
	// +optional
	// +kubebuilder:validation:XValidation:rule="quantity(string(self)).isGreaterThan(quantity('0'))",message="imageProxyMaxSize is more than 0; imageProxy: Disabled fetches no images"
	ImageProxyMaxSize *resource.Quantity `json:"imageProxyMaxSize,omitempty"`
	// JitsiServerURL is the Jitsi server of the video calls that clients offer, by default https://meet.jit.si. Organizations whose
	// setting video_chat_provider is 0 have none.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^https?://[^/?#@\s]+(/[^?#@\s]*)?$')`,message="jitsiServerURL is an address without a login and without ? or #: https://calls.example"
	JitsiServerURL string `json:"jitsiServerURL,omitempty"`
	// OrganizationSignup allows anyone to create an organization at /new/ of the host, by a link in a mail.
	// +optional
	// +kubebuilder:default=Disabled
	OrganizationSignup Switch `json:"organizationSignup,omitempty"`
	// OutgoingWebhookNetworks are networks whose addresses outgoing webhooks may call, at all ports, in addition to
	// ports 80 and 443 of public addresses: 10.1.0.0/16. A network policy allows public addresses only if imageProxy is
	// Enabled or webPush is set.
	// +optional
	// +kubebuilder:validation:MaxItems=32
	// +listType=set
	OutgoingWebhookNetworks []Network `json:"outgoingWebhookNetworks,omitempty"`
	// TrustedProxies are the networks of all proxies in front of the server: 100.64.0.0/10. Limits per address and network
	// are for the last address in X-Forwarded-For that isn't in one of them, and for the address that connects if that isn't
	// in one. Default: one proxy in a private network, which is 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16 or fc00::/7.
	// +optional
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=32
	// +listType=set
	TrustedProxies []Network `json:"trustedProxies,omitempty"`
	// RateLimits are the limits besides rateLimitPerUser.
	// +optional
	RateLimits *RateLimits `json:"rateLimits,omitempty"`
	// MaxStreams is the maximum number of active streams per organization that users can create, unless the
	// Organization has its own limit, which is at most this, if it is set, for one in another namespace; by default 5000.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=65535
	MaxStreams *int32 `json:"maxStreams,omitempty"`
	// MaxStreamsPerDay is the maximum number of streams that an account can create in 24 hours, unless the Organization
	// has its own limit, as for maxStreams; by default 500.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=65535
	MaxStreamsPerDay *int32 `json:"maxStreamsPerDay,omitempty"`
	// EventLogKeep is how long events are kept; by default 24h.
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]{1,5}(h|m|s|ms)){1,4}$')",message="a duration is written in hours, minutes and seconds: 2160h, 1h30m, 45s; there are no days: 90 days are 2160h"
	EventLogKeep *metav1.Duration `json:"eventLogKeep,omitempty"`
	// EventQueuesPerAccount is the maximum number of event queues per account, by default 100; 0: no limit.
	// +optional
	// +kubebuilder:validation:Minimum=0
	EventQueuesPerAccount *int32 `json:"eventQueuesPerAccount,omitempty"`
	// DatabaseConnections is the maximum number of connections of each pod to PostgreSQL for requests; by default four per
	// processor core of the node, and at most 32.
	// +optional
	// +kubebuilder:validation:Minimum=2
	// +kubebuilder:validation:Maximum=1000
	DatabaseConnections *int32 `json:"databaseConnections,omitempty"`
}

// RateLimit is a number of calls per period: 200/60s.
// +kubebuilder:validation:MaxLength=32
// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[1-9][0-9]*/[0-9]+(ms|s|m|h)$')`,message="a rate is a number of calls and a period in hours, minutes or seconds: 200/60s, 1000/24h"
type RateLimit string

// RateLimits are limits on the rate of requests and mail.
type RateLimits struct {
	// Refusals is the number of failed logins that a pod refuses without delay; the response to further ones is delayed
	// by a second. Default: 50/1s.
	// +optional
	Refusals RateLimit `json:"refusals,omitempty"`
	// Images is the number of proxied images per client address and pod. Default: 1000/60s.
	// +optional
	Images RateLimit `json:"images,omitempty"`
	// Passwords is the number of wrong passwords per account. Default: 5/30m.
	// +optional
	Passwords RateLimit `json:"passwords,omitempty"`
	// Logins is the number of logins and changes of the password per account. Default: 100/30m.
	// +optional
	Logins RateLimit `json:"logins,omitempty"`
	// PasswordsFrom is the number of wrong passwords per network. Default: 100/30m.
	// +optional
	PasswordsFrom RateLimit `json:"passwordsFrom,omitempty"`
	// MailRequests is the number of requests for a link by mail, per address and organization. Default: 2/1h.
	// +optional
	MailRequests RateLimit `json:"mailRequests,omitempty"`
	// MailRequestsADay is a second limit on the same requests. Default: 5/24h.
	// +optional
	MailRequestsADay RateLimit `json:"mailRequestsADay,omitempty"`
	// MailRequestsFrom is the number of such requests per network. Default: 20/1h.
	// +optional
	MailRequestsFrom RateLimit `json:"mailRequestsFrom,omitempty"`
	// MailTo is the number of mails of one kind per address. Default: 20/24h.
	// +optional
	MailTo RateLimit `json:"mailTo,omitempty"`
	// MailOfOrganization is the number of mails per organization. Default: 5000/24h.
	// +optional
	MailOfOrganization RateLimit `json:"mailOfOrganization,omitempty"`
}

// ServerSecrets configures the rotation of the operator's own token for the server and of the server's certificate for the operator.
// +kubebuilder:validation:XValidation:rule="!has(self.rotateAfter) || !self.rotateAfter.matches('^([0-9]{1,5}(h|m|s|ms)){1,4}$') || duration(self.rotateAfter) >= duration('1h')",message="rotateAfter must be at least 1h"
type ServerSecrets struct {
	// RotationToken replaces token and certificate at once when it changes to another value, which has no meaning. Removing it changes nothing.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	RotationToken string `json:"rotationToken,omitempty"`
	// RotateAfter is the age at which token and certificate are replaced. Default: only the certificate is replaced, which
	// is valid for a year, when a third of that is left.
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]{1,5}(h|m|s|ms)){1,4}$')",message="a duration is written in hours, minutes and seconds: 2160h, 1h30m, 45s; there are no days: 90 days are 2160h"
	RotateAfter *metav1.Duration `json:"rotateAfter,omitempty"`
}
