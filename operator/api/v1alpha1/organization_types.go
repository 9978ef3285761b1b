package v1alpha1

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// OrganizationDeletionPolicy says what becomes of an organization when its resource is deleted.
// +kubebuilder:validation:Enum=Retain;Delete
type OrganizationDeletionPolicy string

// What becomes of an organization.
const (
	OrganizationRetain OrganizationDeletionPolicy = "Retain" // it stays in the server
	OrganizationDelete OrganizationDeletionPolicy = "Delete" // it goes, with everything in it
)

// OrganizationState says whether people can use an organization.
// +kubebuilder:validation:Enum=Active;Suspended
type OrganizationState string

// Whether people can use an organization.
const (
	OrganizationActive    OrganizationState = "Active"
	OrganizationSuspended OrganizationState = "Suspended"
)

// OrganizationOwner is a person who is to be an owner.
type OrganizationOwner struct {
	// Email is the person's address. An account is made for one who has none.
	// +kubebuilder:validation:MinLength=3
	// +kubebuilder:validation:MaxLength=254
	// +kubebuilder:validation:Pattern=`^[^@\s]+@[^@\s]+$`
	Email string `json:"email"`
	// FullName of an account that is made, or that becomes an owner's; by default what is before the @.
	// +optional
	// +kubebuilder:validation:MaxLength=100
	FullName string `json:"fullName,omitempty"`
	// Credentials asks for a Secret with the owner's API key, like that of a Bot. Without it the owner's keys are
	// left alone.
	// +optional
	Credentials *Credentials `json:"credentials,omitempty"`
}

// OrganizationJoin says how people get in.
type OrganizationJoin struct {
	// InviteRequired lets only those in who were invited.
	// +optional
	InviteRequired *bool `json:"inviteRequired,omitempty"`
}

// OrganizationLimits bounds what an organization keeps, and what people make in it.
type OrganizationLimits struct {
	// MessageRetentionDays is how long messages are kept; -1: forever.
	// +optional
	// +kubebuilder:validation:Minimum=-1
	// +kubebuilder:validation:XValidation:rule="self != 0",message="messageRetentionDays is -1 (forever) or at least 1"
	MessageRetentionDays *int32 `json:"messageRetentionDays,omitempty"`
	// MaxStreams is how many active streams people can make; by default 5000. Stream resources aren't limited.
	// +optional
	// +kubebuilder:validation:Minimum=0
	MaxStreams *int32 `json:"maxStreams,omitempty"`
	// MaxStreamsPerDay is how many streams one account can make in 24 hours; by default 500.
	// +optional
	// +kubebuilder:validation:Minimum=0
	MaxStreamsPerDay *int32 `json:"maxStreamsPerDay,omitempty"`
}

// OrganizationSpec is how an organization is to be. What isn't named belongs to the people in it.
// +kubebuilder:validation:XValidation:rule="self.serverRef == oldSelf.serverRef",message="serverRef can't be changed: an organization can't move between servers"
// +kubebuilder:validation:XValidation:rule="self.subdomain == oldSelf.subdomain",message="subdomain can't be changed: clients have it in their addresses; delete the object and make another one"
type OrganizationSpec struct {
	// ServerRef names the ChatServer.
	ServerRef Reference `json:"serverRef"`
	// Name for people.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=40
	Name string `json:"name"`
	// Subdomain is what comes before the server's host; empty: the organization is at the host itself.
	// +optional
	// +kubebuilder:default=""
	// +kubebuilder:validation:MaxLength=40
	// +kubebuilder:validation:XValidation:rule="self == '' || self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",message="subdomain has lower-case letters, digits and hyphens, and neither begins nor ends with a hyphen"
	Subdomain string `json:"subdomain"`
	// Description for people, in Markdown.
	// +optional
	// +kubebuilder:validation:MaxLength=1000
	Description *string `json:"description,omitempty"`
	// State suspends the organization: nobody can use it then.
	// +optional
	// +kubebuilder:default=Active
	State OrganizationState `json:"state,omitempty"`
	// Owners are people who are to be owners. Others who are owners stay so.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	// +listType=map
	// +listMapKey=email
	Owners []OrganizationOwner `json:"owners"`
	// Join says how people get in.
	// +optional
	Join *OrganizationJoin `json:"join,omitempty"`
	// Limits bounds what is kept, and what people make.
	// +optional
	Limits *OrganizationLimits `json:"limits,omitempty"`
	// Settings are further settings by the names that the HTTP interface has for them, such as
	// create_stream_policy. The server checks them. What join and limits say wins over them.
	// +optional
	// +kubebuilder:validation:MaxProperties=64
	Settings map[string]apiextensionsv1.JSON `json:"settings,omitempty"`
	// AllowedNamespaces says from where streams, bots and webhooks may refer to it.
	// +optional
	// +kubebuilder:default={from: Same}
	AllowedNamespaces AllowedNamespaces `json:"allowedNamespaces,omitempty"`
	// Adopt takes over an organization of that subdomain that people have made.
	// +optional
	Adopt bool `json:"adopt,omitempty"`
	// DeletionPolicy says what becomes of it when this object is deleted.
	// +optional
	// +kubebuilder:default=Retain
	DeletionPolicy OrganizationDeletionPolicy `json:"deletionPolicy,omitempty"`
}

// OrganizationOwnerStatus is about the key of an owner.
type OrganizationOwnerStatus struct {
	// Email is the owner's address.
	Email string `json:"email"`
	// Credentials are the owner's.
	Credentials CredentialsStatus `json:"credentials"`
}

// OrganizationStatus is how an organization is.
type OrganizationStatus struct {
	GuestStatus `json:",inline"`
	// URL is where clients find it.
	// +optional
	URL string `json:"url,omitempty"`
	// Owners have a line for each owner with credentials.
	// +optional
	// +listType=map
	// +listMapKey=email
	Owners []OrganizationOwnerStatus `json:"owners,omitempty"`
}

// Organization is an organization of people in a ChatServer.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=chatorg,categories=chat-all
// +kubebuilder:printcolumn:name="Server",type=string,JSONPath=`.spec.serverRef.name`
// +kubebuilder:printcolumn:name="URL",type=string,JSONPath=`.status.url`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`,priority=1
// +kubebuilder:printcolumn:name="Message",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].message`,priority=1
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type Organization struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   OrganizationSpec   `json:"spec"`
	Status OrganizationStatus `json:"status,omitempty"`
}

// OrganizationList is a list of organizations.
// +kubebuilder:object:root=true
type OrganizationList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Organization `json:"items"`
}
