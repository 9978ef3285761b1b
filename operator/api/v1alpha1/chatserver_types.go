package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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
