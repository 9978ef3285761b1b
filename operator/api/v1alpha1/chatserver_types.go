package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// ChatServerState says whether a server runs.
// +kubebuilder:validation:Enum=Running;Paused;Hibernated
type ChatServerState string

// Whether a server runs.
const (
	StateRunning    ChatServerState = "Running"
	StatePaused     ChatServerState = "Paused"     // the operator leaves everything as it is
	StateHibernated ChatServerState = "Hibernated" // no pods; data and Secrets stay
)

// ChatServerDeletionPolicy says what becomes of the data when a ChatServer is deleted.
// +kubebuilder:validation:Enum=Retain;Delete
type ChatServerDeletionPolicy string

// What becomes of the data.
const (
	// ChatServerRetain keeps the database, trial volumes and the operator's Secrets. A ChatServer of the same
	// name takes them up again.
	ChatServerRetain ChatServerDeletionPolicy = "Retain"
	// ChatServerDelete deletes what the operator has made for it. An external database stays.
	ChatServerDelete ChatServerDeletionPolicy = "Delete"
)

// Image says where images come from.
type Image struct {
	// Repository is what comes before the component's name: the image of api is <repository>/api:<version>.
	// Empty: the operator's own default.
	// +optional
	// +kubebuilder:validation:MaxLength=255
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
	PullSecrets []corev1.LocalObjectReference `json:"pullSecrets,omitempty"`
}

// DatabaseMode says whose PostgreSQL it is.
// +kubebuilder:validation:Enum=External;CloudNativePG;Ephemeral
type DatabaseMode string

// Whose PostgreSQL it is.
const (
	DatabaseExternal      DatabaseMode = "External"      // somebody else keeps it
	DatabaseCloudNativePG DatabaseMode = "CloudNativePG" // the operator of CloudNativePG does
	DatabaseEphemeral     DatabaseMode = "Ephemeral"     // one pod with a volume, for trials
)

// TLSMode says how much a connection is to be trusted; the names are those of libpq.
// +kubebuilder:validation:Enum=disable;require;verify-ca;verify-full
type TLSMode string

// How much a connection is to be trusted.
const (
	TLSDisable    TLSMode = "disable"
	TLSRequire    TLSMode = "require"
	TLSVerifyCA   TLSMode = "verify-ca"
	TLSVerifyFull TLSMode = "verify-full"
)

// ExternalDatabase is a PostgreSQL that somebody else keeps.
// +kubebuilder:validation:XValidation:rule="has(self.secretRef.key) != has(self.secretRef.keys)",message="secretRef has either key, for a whole connection string, or keys, for host, user and password one by one"
type ExternalDatabase struct {
	// SecretRef says where the connection string is.
	SecretRef DatabaseSecret `json:"secretRef"`
	// TLSMode for connection strings that don't say it (sslmode).
	// +optional
	// +kubebuilder:default=verify-full
	TLSMode TLSMode `json:"tlsMode,omitempty"`
	// CASecretRef has the certificates of authorities that the server's certificate is checked against.
	// Left out: those of the system.
	// +optional
	CASecretRef *SecretKey `json:"caSecretRef,omitempty"`
}

// DatabaseSecret is a Secret with a connection string, or with its parts.
type DatabaseSecret struct {
	// Name of the Secret.
	// +kubebuilder:validation:MinLength=1
	Name string `json:"name"`
	// Key with a connection string, postgres://….
	// +optional
	// +kubebuilder:validation:MinLength=1
	Key string `json:"key,omitempty"`
	// Keys with the parts of one.
	// +optional
	Keys *DatabaseSecretKeys `json:"keys,omitempty"`
}

// DatabaseSecretKeys are the keys of a Secret with the parts of a connection string. The defaults are
// what CloudNativePG writes.
type DatabaseSecretKeys struct {
	// +kubebuilder:default=host
	Host string `json:"host,omitempty"`
	// +kubebuilder:default=port
	Port string `json:"port,omitempty"`
	// +kubebuilder:default=dbname
	Database string `json:"database,omitempty"`
	// +kubebuilder:default=username
	User string `json:"user,omitempty"`
	// +kubebuilder:default=password
	Password string `json:"password,omitempty"`
}

// CloudNativePG is a database that the operator of CloudNativePG keeps.
type CloudNativePG struct {
	// Instances of PostgreSQL.
	// +optional
	// +kubebuilder:default=3
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=9
	Instances int32 `json:"instances,omitempty"`
	// StorageSize of each instance. It can grow.
	// +optional
	// +kubebuilder:default="20Gi"
	// +kubebuilder:validation:XValidation:rule="quantity(string(self)).compareTo(quantity(string(oldSelf))) >= 0",message="storageSize can grow, but not shrink: volumes can't"
	StorageSize resource.Quantity `json:"storageSize,omitempty"`
	// StorageClass of the volumes; empty: the cluster's default. It can't be changed.
	// +optional
	StorageClass string `json:"storageClass,omitempty"`
	// ImageName of PostgreSQL; empty: CloudNativePG's default.
	// +optional
	ImageName string `json:"imageName,omitempty"`
}

// Trial is a small server of the operator's own, which is not for production.
type Trial struct {
	// Image to run; empty: the operator's default.
	// +optional
	Image string `json:"image,omitempty"`
	// StorageSize of the volume. It can't be changed.
	// +optional
	// +kubebuilder:default="1Gi"
	StorageSize resource.Quantity `json:"storageSize,omitempty"`
	// StorageClass of the volume; empty: the cluster's default. It can't be changed.
	// +optional
	StorageClass string `json:"storageClass,omitempty"`
}

// Database says where PostgreSQL is.
// +kubebuilder:validation:XValidation:rule="(self.mode == 'External') == has(self.external)",message="external belongs to mode: External: set both or leave external out"
// +kubebuilder:validation:XValidation:rule="has(self.cloudNativePG) ? self.mode == 'CloudNativePG' : true",message="cloudNativePG belongs to mode: CloudNativePG: leave it out or change the mode"
// +kubebuilder:validation:XValidation:rule="has(self.ephemeral) ? self.mode == 'Ephemeral' : true",message="ephemeral belongs to mode: Ephemeral: leave it out or change the mode"
// +kubebuilder:validation:XValidation:rule="!has(self.logins) || !has(self.logins.secretName) || self.mode == 'External'",message="logins.secretName belongs to mode: External: the operator makes the logins of its own databases"
// +kubebuilder:validation:XValidation:rule="self.mode != 'Ephemeral' || oldSelf.mode != 'Ephemeral' || (has(self.ephemeral) && has(self.ephemeral.storageSize) ? string(self.ephemeral.storageSize) : '1Gi') == (has(oldSelf.ephemeral) && has(oldSelf.ephemeral.storageSize) ? string(oldSelf.ephemeral.storageSize) : '1Gi')",message="ephemeral.storageSize can't be changed: the volume claims of a StatefulSet can't; enlarge the PersistentVolumeClaim where its storage class allows that, or make another ChatServer"
// +kubebuilder:validation:XValidation:rule=`self.mode != 'Ephemeral' || oldSelf.mode != 'Ephemeral' || (has(self.ephemeral) && has(self.ephemeral.storageClass) ? self.ephemeral.storageClass : "") == (has(oldSelf.ephemeral) && has(oldSelf.ephemeral.storageClass) ? oldSelf.ephemeral.storageClass : "")`,message="ephemeral.storageClass can't be changed: the data would stay behind in their volume; make another ChatServer"
// +kubebuilder:validation:XValidation:rule=`self.mode != 'CloudNativePG' || oldSelf.mode != 'CloudNativePG' || (has(self.cloudNativePG) && has(self.cloudNativePG.storageClass) ? self.cloudNativePG.storageClass : "") == (has(oldSelf.cloudNativePG) && has(oldSelf.cloudNativePG.storageClass) ? oldSelf.cloudNativePG.storageClass : "")`,message="cloudNativePG.storageClass can't be changed: the data would stay behind in their volumes; make another ChatServer"
type Database struct {
	// Mode says whose it is.
	Mode DatabaseMode `json:"mode"`
	// External is somebody else's.
	// +optional
	External *ExternalDatabase `json:"external,omitempty"`
	// CloudNativePG is kept by CloudNativePG.
	// +optional
	CloudNativePG *CloudNativePG `json:"cloudNativePG,omitempty"`
	// Ephemeral is one pod, for trials.
	// +optional
	Ephemeral *Trial `json:"ephemeral,omitempty"`
	// Logins are the roles that services log in as. Left out: the operator makes them.
	// +optional
	Logins *DatabaseLogins `json:"logins,omitempty"`
}

// DatabaseLogins are the two roles that services log in to PostgreSQL as. They own nothing; the database's owner is the
// migration's alone.
// +kubebuilder:validation:XValidation:rule="!(has(self.secretName) && has(self.rotationToken))",message="rotationToken replaces the operator's own logins: to replace those of secretName, name another Secret there"
type DatabaseLogins struct {
	// SecretName is a Secret with logins of your own: service-user, service-password, everywhere-user, everywhere-password.
	// +optional
	// +kubebuilder:validation:MinLength=1
	SecretName string `json:"secretName,omitempty"`
	// RotationToken replaces the operator's logins when it is changed, without a gap. Its value means nothing.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	RotationToken string `json:"rotationToken,omitempty"`
}

// CacheMode says whose Redis it is.
// +kubebuilder:validation:Enum=External;Ephemeral
type CacheMode string

// Whose Redis it is.
const (
	CacheExternal  CacheMode = "External"  // somebody else keeps it
	CacheEphemeral CacheMode = "Ephemeral" // one pod with a volume, for trials
)

// RedisTopology says what answers at the addresses of a Redis.
// +kubebuilder:validation:Enum=Single;Sentinel;Cluster
type RedisTopology string

// What answers at the addresses of a Redis.
const (
	RedisSingle   RedisTopology = "Single"
	RedisSentinel RedisTopology = "Sentinel" // sentinels, which know who is the master
	RedisCluster  RedisTopology = "Cluster"  // nodes of a cluster
)

// ExternalCache is a Redis that somebody else keeps.
type ExternalCache struct {
	// SecretRef says where the address is: redis://… or rediss://…. Further addresses are parameters addr;
	// Sentinel needs master_name.
	SecretRef SecretKey `json:"secretRef"`
	// Topology says what answers there.
	// +optional
	// +kubebuilder:default=Single
	Topology RedisTopology `json:"topology,omitempty"`
	// CASecretRef has the certificates of authorities that the server's certificate is checked against.
	// Left out: those of the system.
	// +optional
	CASecretRef *SecretKey `json:"caSecretRef,omitempty"`
}

// Cache says where Redis is.
// +kubebuilder:validation:XValidation:rule="(self.mode == 'External') == has(self.external)",message="external belongs to mode: External: set both or leave external out"
// +kubebuilder:validation:XValidation:rule="has(self.ephemeral) ? self.mode == 'Ephemeral' : true",message="ephemeral belongs to mode: Ephemeral: leave it out or change the mode"
// +kubebuilder:validation:XValidation:rule="self.mode != 'Ephemeral' || oldSelf.mode != 'Ephemeral' || (has(self.ephemeral) && has(self.ephemeral.storageSize) ? string(self.ephemeral.storageSize) : '1Gi') == (has(oldSelf.ephemeral) && has(oldSelf.ephemeral.storageSize) ? string(oldSelf.ephemeral.storageSize) : '1Gi')",message="ephemeral.storageSize can't be changed: the volume claims of a StatefulSet can't; enlarge the PersistentVolumeClaim where its storage class allows that, or make another ChatServer"
// +kubebuilder:validation:XValidation:rule=`self.mode != 'Ephemeral' || oldSelf.mode != 'Ephemeral' || (has(self.ephemeral) && has(self.ephemeral.storageClass) ? self.ephemeral.storageClass : "") == (has(oldSelf.ephemeral) && has(oldSelf.ephemeral.storageClass) ? oldSelf.ephemeral.storageClass : "")`,message="ephemeral.storageClass can't be changed: the data would stay behind in their volume; make another ChatServer"
type Cache struct {
	// Mode says whose it is.
	Mode CacheMode `json:"mode"`
	// External is somebody else's.
	// +optional
	External *ExternalCache `json:"external,omitempty"`
	// Ephemeral is one pod, for trials.
	// +optional
	Ephemeral *Trial `json:"ephemeral,omitempty"`
}

// IngressExposure is a way in by an Ingress.
type IngressExposure struct {
	// ClassName of the Ingress; empty: the cluster's default.
	// +optional
	ClassName string `json:"className,omitempty"`
	// Annotations of the Ingress. They win over the operator's own, which set timeouts for long polls.
	// +optional
	// +kubebuilder:validation:MaxProperties=64
	Annotations map[string]string `json:"annotations,omitempty"`
}

// GatewayParent names the Gateway that a route belongs to.
type GatewayParent struct {
	// Name of the Gateway.
	// +kubebuilder:validation:MinLength=1
	Name string `json:"name"`
	// Namespace of the Gateway; empty: this one.
	// +optional
	Namespace string `json:"namespace,omitempty"`
	// SectionName is the Gateway's listener; empty: all that fit.
	// +optional
	SectionName string `json:"sectionName,omitempty"`
}

// GatewayExposure is a way in by an HTTPRoute of the Gateway API.
type GatewayExposure struct {
	// ParentRef names the Gateway. Certificates are its own business.
	ParentRef GatewayParent `json:"parentRef"`
	// Annotations of the HTTPRoute.
	// +optional
	// +kubebuilder:validation:MaxProperties=64
	Annotations map[string]string `json:"annotations,omitempty"`
}

// IssuerReference names an issuer of cert-manager.
type IssuerReference struct {
	// Name of the issuer.
	// +kubebuilder:validation:MinLength=1
	Name string `json:"name"`
	// Kind of the issuer.
	// +optional
	// +kubebuilder:default=Issuer
	// +kubebuilder:validation:Enum=Issuer;ClusterIssuer
	Kind string `json:"kind,omitempty"`
}

// TLS says where the certificate comes from.
// +kubebuilder:validation:XValidation:rule="has(self.secretName) != has(self.issuerRef)",message="tls has either secretName, for a certificate that is there, or issuerRef, for one of cert-manager"
type TLS struct {
	// SecretName is a Secret of type kubernetes.io/tls for the host and all names below it.
	// +optional
	// +kubebuilder:validation:MinLength=1
	SecretName string `json:"secretName,omitempty"`
	// IssuerRef lets cert-manager make one.
	// +optional
	IssuerRef *IssuerReference `json:"issuerRef,omitempty"`
}

// Exposure says how clients get in from outside of the cluster.
// +kubebuilder:validation:XValidation:rule="!(has(self.ingress) && has(self.gateway))",message="ingress and gateway exclude each other: keep one way in"
// +kubebuilder:validation:XValidation:rule="!has(self.tls) || self.scheme == 'https'",message="tls needs scheme: https"
// +kubebuilder:validation:XValidation:rule="!has(self.tls) || has(self.ingress) || has(self.gateway)",message="tls needs ingress or gateway: without them nothing ends TLS"
type Exposure struct {
	// Scheme is how clients reach it.
	// +optional
	// +kubebuilder:default=https
	// +kubebuilder:validation:Enum=http;https
	Scheme string `json:"scheme,omitempty"`
	// Ingress is one way in.
	// +optional
	Ingress *IngressExposure `json:"ingress,omitempty"`
	// Gateway is another.
	// +optional
	Gateway *GatewayExposure `json:"gateway,omitempty"`
	// TLS is the certificate. Left out, somebody else takes care of it.
	// +optional
	TLS *TLS `json:"tls,omitempty"`
}

// Autoscaling lets the number of pods follow their load.
// +kubebuilder:validation:XValidation:rule="self.minReplicas <= self.maxReplicas",message="minReplicas must not exceed maxReplicas"
type Autoscaling struct {
	// MinReplicas at least.
	// +optional
	// +kubebuilder:default=2
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	MinReplicas int32 `json:"minReplicas,omitempty"`
	// MaxReplicas at most.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	MaxReplicas int32 `json:"maxReplicas"`
	// TargetCPUUtilizationPercentage of the requested processor time.
	// +optional
	// +kubebuilder:default=70
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	TargetCPUUtilizationPercentage int32 `json:"targetCPUUtilizationPercentage,omitempty"`
}

// Component says how one of the services runs.
// +kubebuilder:validation:XValidation:rule="!has(self.autoscaling) || !has(oldSelf.autoscaling) || !has(self.replicas) || !has(oldSelf.replicas) || self.replicas == oldSelf.replicas",message="replicas has no effect while autoscaling is set, so it can't be changed: change autoscaling.minReplicas and maxReplicas, or remove autoscaling"
// +kubebuilder:validation:XValidation:rule="!has(self.autoscaling) || !has(self.resources) || (has(self.resources.requests) && 'cpu' in self.resources.requests) || (has(self.resources.limits) && 'cpu' in self.resources.limits)",message="autoscaling needs resources.requests.cpu: the load is measured against it; add it, or leave resources out"
type Component struct {
	// Replicas is the number of pods. With autoscaling it has no effect, and can't be changed.
	// +optional
	// +kubebuilder:default=2
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1000
	Replicas *int32 `json:"replicas,omitempty"`
	// Autoscaling decides on the number of pods in place of Replicas.
	// +optional
	Autoscaling *Autoscaling `json:"autoscaling,omitempty"`
	// Resources of the container; by default small requests and a limit of memory.
	// +optional
	Resources *ContainerResources `json:"resources,omitempty"`
	// PodTemplate is a strategic merge patch for the pod template, so that nothing is out of reach. It
	// can't change the image, the selector or the ports.
	// +optional
	// +kubebuilder:pruning:PreserveUnknownFields
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=object
	PodTemplate *runtime.RawExtension `json:"podTemplate,omitempty"`
}

// ContainerResources are what a container asks for and what it is held to.
type ContainerResources struct {
	// Requests is what is set aside.
	// +optional
	Requests corev1.ResourceList `json:"requests,omitempty"`
	// Limits is what it can have.
	// +optional
	Limits corev1.ResourceList `json:"limits,omitempty"`
}

// Upgrade says how a new version comes in.
// +kubebuilder:validation:XValidation:rule="!has(self.migrationTimeout) || !self.migrationTimeout.matches('^([0-9]{1,5}(h|m|s|ms)){1,4}$') || duration(self.migrationTimeout) >= duration('10s')",message="migrationTimeout must be at least 10s"
// +kubebuilder:validation:XValidation:rule="!has(self.progressDeadline) || !self.progressDeadline.matches('^([0-9]{1,5}(h|m|s|ms)){1,4}$') || duration(self.progressDeadline) >= duration('30s')",message="progressDeadline must be at least 30s: pods need some time to start"
type Upgrade struct {
	// MigrationTimeout bounds the Job that brings the schema up to date.
	// +optional
	// +kubebuilder:default="30m"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]{1,5}(h|m|s|ms)){1,4}$')",message="a duration is written in hours, minutes and seconds: 2160h, 1h30m, 45s; there are no days: 90 days are 2160h"
	MigrationTimeout *metav1.Duration `json:"migrationTimeout,omitempty"`
	// ProgressDeadline bounds how long a component's pods may take to become ready.
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

// ChatServerSpec is how a server is to be.
// +kubebuilder:validation:XValidation:rule="self.host == oldSelf.host",message="host can't be changed: clients and webhooks have it in their addresses; make another ChatServer"
// +kubebuilder:validation:XValidation:rule="self.database.mode == oldSelf.database.mode",message="database.mode can't be changed: the data would stay behind; make another ChatServer with the data moved"
type ChatServerSpec struct {
	// Version of chatserver to run, such as 1.4.2.
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:Pattern=`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?$`
	Version string `json:"version"`
	// Image says where images come from.
	// +optional
	// +kubebuilder:default={}
	Image Image `json:"image,omitempty"`
	// Host is the server's name, with a port where it isn't the usual one. Organizations are at names below it.
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*(:[0-9]{1,5})?$`
	Host string `json:"host"`
	// Database says where PostgreSQL is.
	Database Database `json:"database"`
	// Cache says where Redis is.
	Cache Cache `json:"cache"`
	// Exposure says how clients get in from outside of the cluster. Left out: not at all, and by http inside.
	// +optional
	Exposure *Exposure `json:"exposure,omitempty"`
	// API is the service of requests.
	// +optional
	// +kubebuilder:default={}
	API Component `json:"api,omitempty"`
	// Events is the service of event queues and long polls.
	// +optional
	// +kubebuilder:default={}
	Events Component `json:"events,omitempty"`
	// Webhook is the service of incoming webhooks.
	// +optional
	// +kubebuilder:default={}
	Webhook Component `json:"webhook,omitempty"`
	// Settings are the server's own.
	// +optional
	// +kubebuilder:default={}
	Settings Settings `json:"settings,omitempty"`
	// AllowedNamespaces says from where organizations may refer to it.
	// +optional
	// +kubebuilder:default={from: Same}
	AllowedNamespaces AllowedNamespaces `json:"allowedNamespaces,omitempty"`
	// Secrets says when the operator's token for the server and the server's certificate for the operator are replaced.
	// +optional
	// +kubebuilder:default={}
	Secrets ServerSecrets `json:"secrets,omitempty"`
	// Upgrade says how a new version comes in.
	// +optional
	// +kubebuilder:default={}
	Upgrade Upgrade `json:"upgrade,omitempty"`
	// Monitoring says what is made for Prometheus.
	// +optional
	// +kubebuilder:default={}
	Monitoring Monitoring `json:"monitoring,omitempty"`
	// NetworkPolicy holds pods to the connections that they need.
	// +optional
	// +kubebuilder:default=Enabled
	NetworkPolicy Switch `json:"networkPolicy,omitempty"`
	// State says whether it runs.
	// +optional
	// +kubebuilder:default=Running
	State ChatServerState `json:"state,omitempty"`
	// DeletionPolicy says what becomes of the data when this object is deleted.
	// +optional
	// +kubebuilder:default=Retain
	DeletionPolicy ChatServerDeletionPolicy `json:"deletionPolicy,omitempty"`
}

// ComponentStatus is how one of the services runs.
type ComponentStatus struct {
	// Image that is rolled out.
	// +optional
	Image string `json:"image,omitempty"`
	// Replicas there are.
	Replicas int32 `json:"replicas"`
	// ReadyReplicas serve.
	ReadyReplicas int32 `json:"readyReplicas"`
	// Selector of its pods.
	// +optional
	Selector string `json:"selector,omitempty"`
}

// SchemaStatus is about the schema of the database.
type SchemaStatus struct {
	// Version of the schema.
	Version int64 `json:"version"`
	// MinServerVersion is the oldest version of chatserver that works with it: the floor of a rollback.
	// +optional
	MinServerVersion string `json:"minServerVersion,omitempty"`
	// ServerVersion is the version of chatserver whose migration ran last.
	// +optional
	ServerVersion string `json:"serverVersion,omitempty"`
	// Migration is the sum of that version, its image and the logins that it made: an equal one needs no Job.
	// +optional
	Migration string `json:"migration,omitempty"`
}

// UpgradePhase says how far a new version has come.
// +kubebuilder:validation:Enum=Migrate;Rollout
type UpgradePhase string

// How far a new version has come.
const (
	PhaseMigrate UpgradePhase = "Migrate" // a Job checks configuration and database, then extends the schema
	PhaseRollout UpgradePhase = "Rollout" // pods are replaced
)

// UpgradeStatus is about a new version on its way in.
type UpgradeStatus struct {
	// From is the version before; empty at the first installation.
	// +optional
	From string `json:"from,omitempty"`
	// To is the new version.
	To string `json:"to"`
	// Phase says how far it has come.
	Phase UpgradePhase `json:"phase"`
	// JobName is the Job of the phase Migrate.
	// +optional
	JobName string `json:"jobName,omitempty"`
	// StartedAt is when it began.
	StartedAt metav1.Time `json:"startedAt"`
}

// DatabaseLoginsStatus says which roles services log in to PostgreSQL as.
type DatabaseLoginsStatus struct {
	// SecretName is the Secret that has them.
	SecretName string `json:"secretName"`
	// Users are the names of the roles.
	// +optional
	Users []string `json:"users,omitempty"`
	// Since is the oldest version of chatserver that uses them.
	Since string `json:"since"`
	// FormerUsers are the roles before.
	// +optional
	FormerUsers []string `json:"formerUsers,omitempty"`
	// FormerUnused reports that no pod has the former ones.
	// +optional
	FormerUnused bool `json:"formerUnused,omitempty"`
	// RotationToken is the last one that was carried out.
	// +optional
	RotationToken string `json:"rotationToken,omitempty"`
}

// AdminTLSStatus is about TLS between the operator and the admin interface.
type AdminTLSStatus struct {
	// Since is the oldest version of chatserver that is known to serve the admin interface over TLS. Empty: none is, and the
	// next version's migration may report it.
	// +optional
	Since string `json:"since,omitempty"`
	// InUse reports that the operator calls the server over TLS, and in no other way.
	// +optional
	InUse bool `json:"inUse,omitempty"`
}

// ChatServerStatus is how a server is.
type ChatServerStatus struct {
	// ObservedGeneration is the generation of the spec that the status is about.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Version that serves.
	// +optional
	Version string `json:"version,omitempty"`
	// PreviousVersion is what served before Version: where a rollback goes.
	// +optional
	PreviousVersion string `json:"previousVersion,omitempty"`
	// URL is where clients find it.
	// +optional
	URL string `json:"url,omitempty"`
	// Schema of the database.
	// +optional
	Schema *SchemaStatus `json:"schema,omitempty"`
	// API is how the service of requests runs.
	// +optional
	API ComponentStatus `json:"api,omitempty"`
	// Events is how the service of event queues runs.
	// +optional
	Events ComponentStatus `json:"events,omitempty"`
	// Webhook is how the service of incoming webhooks runs.
	// +optional
	Webhook ComponentStatus `json:"webhook,omitempty"`
	// Upgrade is there while a new version is on its way in.
	// +optional
	Upgrade *UpgradeStatus `json:"upgrade,omitempty"`
	// AdminToken is the operator's own token for the server.
	// +optional
	AdminToken CredentialsStatus `json:"adminToken,omitempty"`
	// AdminTLS is about TLS between the operator and the server. Left out: the server's pods were made before there was any.
	// +optional
	AdminTLS *AdminTLSStatus `json:"adminTLS,omitempty"`
	// DatabaseLogins are those that services have. Left out: they log in as the database's owner.
	// +optional
	DatabaseLogins *DatabaseLoginsStatus `json:"databaseLogins,omitempty"`
	// Organizations that refer to it.
	// +optional
	Organizations int32 `json:"organizations,omitempty"`
	// Conditions tell how it is.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// ChatServer is a server for team chat: three services with a database and a cache.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.api.replicas,statuspath=.status.api.replicas,selectorpath=.status.api.selector
// +kubebuilder:resource:shortName=chat,categories=chat-all
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 40",message="the name of a ChatServer has at most 40 characters: names of pods and Services begin with it"
// +kubebuilder:validation:XValidation:rule="self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",message="the name of a ChatServer begins with a letter and has small letters, digits and hyphens alone, no dots: names of Services begin with it"
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Version",type=string,JSONPath=`.status.version`
// +kubebuilder:printcolumn:name="URL",type=string,JSONPath=`.status.url`
// +kubebuilder:printcolumn:name="State",type=string,JSONPath=`.spec.state`,priority=1
// +kubebuilder:printcolumn:name="Organizations",type=integer,JSONPath=`.status.organizations`,priority=1
// +kubebuilder:printcolumn:name="Message",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].message`,priority=1
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type ChatServer struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   ChatServerSpec   `json:"spec"`
	Status ChatServerStatus `json:"status,omitempty"`
}

// ChatServerList is a list of servers.
// +kubebuilder:object:root=true
type ChatServerList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []ChatServer `json:"items"`
}
