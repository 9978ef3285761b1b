package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// ChatServerState determines whether a server runs.
// +kubebuilder:validation:Enum=Running;Paused;Hibernated
type ChatServerState string

// States of a server.
const (
	StateRunning    ChatServerState = "Running"
	StatePaused     ChatServerState = "Paused"     // the operator changes nothing
	StateHibernated ChatServerState = "Hibernated" // no pods; data and Secrets stay
)

// ChatServerDeletionPolicy determines what happens to the data when a ChatServer is deleted.
// +kubebuilder:validation:Enum=Retain;Delete
type ChatServerDeletionPolicy string

// ChatServer deletion policies.
const (
	// ChatServerRetain keeps the database, trial volumes and the operator's Secrets. A ChatServer of the same
	// name uses them again.
	ChatServerRetain ChatServerDeletionPolicy = "Retain"
	// ChatServerDelete deletes everything that the operator has created for it. An external database stays.
	ChatServerDelete ChatServerDeletionPolicy = "Delete"
)

// ChatServerSpec is the desired state of a server.
// +kubebuilder:validation:XValidation:rule="self.host == oldSelf.host",message="host can't be changed: clients and webhooks have it in their addresses; create another ChatServer"
// +kubebuilder:validation:XValidation:rule="self.database.mode == oldSelf.database.mode",message="database.mode can't be changed: the data would stay behind; move the data to a new ChatServer"
// +kubebuilder:validation:XValidation:rule="self.version == oldSelf.version || !has(self.image) || !has(self.image.digests) || !has(oldSelf.image) || !has(oldSelf.image.digests) || self.image.digests.all(k, !(k in oldSelf.image.digests) || self.image.digests[k] != oldSelf.image.digests[k])",message="version can't be changed while a digest in image.digests stays the same: the digest decides which image runs; change both, or remove the digest"
// +kubebuilder:validation:XValidation:rule="!has(self.settings) || !has(self.settings.organizationSignup) || self.settings.organizationSignup == 'Disabled' || has(self.mail)",message="organizationSignup sends links by mail: set mail as well"
type ChatServerSpec struct {
	// Version of chatserver to run, such as 1.4.2.
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?$')`,message="version is the version of a release, without a v: 1.4.2, 1.5.0-rc.1; a number in it has no leading zero"
	Version string `json:"version"`
	// Image configures where images are pulled from.
	// +optional
	// +kubebuilder:default={}
	Image Image `json:"image,omitempty"`
	// Host is the server's host name, with a port unless it is the default one. Organizations are at its subdomains.
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*(:([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?$') && !self.matches(r'^[0-9.]+(:|$)')`,message="host is a name in lower case, not an IP address, with a port unless it is the default one: chat.example, chat.example:8443"
	Host string `json:"host"`
	// Database configures PostgreSQL.
	Database Database `json:"database"`
	// Cache configures Redis.
	Cache Cache `json:"cache"`
	// Web configures the web client.
	// +optional
	// +kubebuilder:default={}
	Web Web `json:"web,omitempty"`
	// Mail configures how mail is sent. Default: no mail is sent, so that resetting passwords and inviting users by
	// mail are impossible.
	// +optional
	Mail *Mail `json:"mail,omitempty"`
	// WebPush configures notifications of browsers. Default: no browser is notified.
	// +optional
	WebPush *WebPush `json:"webPush,omitempty"`
	// Files configures where uploaded files are kept. Default: nothing can be uploaded.
	// +optional
	Files *Files `json:"files,omitempty"`
	// IdentityProviders are the OpenID Connect providers that users can sign in with.
	// +optional
	// +kubebuilder:validation:MaxItems=5
	// +listType=map
	// +listMapKey=slot
	IdentityProviders []IdentityProvider `json:"identityProviders,omitempty"`
	// MailIn configures incoming mail. Default: the server receives none.
	// +optional
	MailIn *MailIn `json:"mailIn,omitempty"`
	// Exposure configures access from outside the cluster. Default: the server is reachable only inside the cluster,
	// over HTTP.
	// +optional
	Exposure *Exposure `json:"exposure,omitempty"`
	// API is the service for requests.
	// +optional
	// +kubebuilder:default={}
	API Component `json:"api,omitempty"`
	// Events is the service for event queues and long polls.
	// +optional
	// +kubebuilder:default={}
	Events Component `json:"events,omitempty"`
	// Webhook is the service for incoming webhooks.
	// +optional
	// +kubebuilder:default={}
	Webhook Component `json:"webhook,omitempty"`
	// Settings are settings of the services.
	// +optional
	// +kubebuilder:default={}
	Settings Settings `json:"settings,omitempty"`
	// AllowedNamespaces selects the namespaces whose Organizations may refer to this ChatServer.
	// +optional
	// +kubebuilder:default={from: Same}
	AllowedNamespaces AllowedNamespaces `json:"allowedNamespaces,omitempty"`
	// Secrets configures the rotation of the operator's token for the server and the server's certificate for the operator.
	// +optional
	// +kubebuilder:default={}
	Secrets ServerSecrets `json:"secrets,omitempty"`
	// Upgrade configures the rollout of a new version.
	// +optional
	// +kubebuilder:default={}
	Upgrade Upgrade `json:"upgrade,omitempty"`
	// Monitoring configures objects for Prometheus.
	// +optional
	// +kubebuilder:default={}
	Monitoring Monitoring `json:"monitoring,omitempty"`
	// NetworkPolicy restricts pods to the connections that they need.
	// +optional
	// +kubebuilder:default=Enabled
	NetworkPolicy Switch `json:"networkPolicy,omitempty"`
	// CommonLabels are labels of all objects that the operator creates for this server, in addition to its own, such as a team or a cost
	// center. Pods are replaced when they change.
	// +optional
	// +kubebuilder:validation:MaxProperties=16
	// +kubebuilder:validation:XValidation:rule=`self.all(key, key.matches(r'^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$'))`,message="the key of a label is a name such as team or corp.example/team"
	// +kubebuilder:validation:XValidation:rule=`self.all(key, !key.startsWith('app.kubernetes.io/') && !key.startsWith('chatserver.dev/'))`,message="labels of app.kubernetes.io and chatserver.dev are the operator's own"
	CommonLabels map[string]LabelValue `json:"commonLabels,omitempty"`
	// CommonAnnotations are annotations of the same objects. An annotation in another field of this spec takes precedence.
	// +optional
	// +kubebuilder:validation:MaxProperties=16
	// +kubebuilder:validation:XValidation:rule=`self.all(key, key.matches(r'^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$'))`,message="the key of an annotation is a name such as owner or corp.example/owner"
	// +kubebuilder:validation:XValidation:rule=`self.all(key, !key.startsWith('chatserver.dev/'))`,message="annotations of chatserver.dev are the operator's own"
	CommonAnnotations map[string]AnnotationValue `json:"commonAnnotations,omitempty"`
	// State determines whether the server runs. Paused: pods run on, and the operator changes nothing. Hibernated: no pods
	// run; data and Secrets stay.
	// +optional
	// +kubebuilder:default=Running
	State ChatServerState `json:"state,omitempty"`
	// DeletionPolicy determines what happens to the data when this object is deleted. Retain: database, volumes and Secrets
	// stay, and a ChatServer of the same name uses them again. Delete: what the operator has created is deleted; an external
	// database, a bucket and a volume for files stay.
	// +optional
	// +kubebuilder:default=Retain
	DeletionPolicy ChatServerDeletionPolicy `json:"deletionPolicy,omitempty"`
}

// ChatServer is a server for team chat: three services with a database and a cache.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.api.replicas,statuspath=.status.api.replicas,selectorpath=.status.api.selector
// +kubebuilder:resource:shortName=chat,categories=chat-all
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 40",message="the name of a ChatServer has at most 40 characters: names of pods and Services begin with it"
// +kubebuilder:validation:XValidation:rule="self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",message="the name of a ChatServer begins with a letter and consists of lower-case letters, digits and hyphens, no dots: names of Services begin with it"
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

	Spec ChatServerSpec `json:"spec"`
	// +kubebuilder:default={conditions: {{type: "Ready", status: "Unknown", reason: "Pending", message: "no operator has seen this object yet: does one run, and does it watch this namespace?", lastTransitionTime: "1970-01-01T00:00:00Z"}}}
	Status ChatServerStatus `json:"status,omitempty"`
}

// ChatServerList is a list of servers.
// +kubebuilder:object:root=true
type ChatServerList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []ChatServer `json:"items"`
}
