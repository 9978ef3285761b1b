package v1alpha1

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// OrganizationDeletionPolicy determines what happens to an organization when its resource is deleted.
// +kubebuilder:validation:Enum=Retain;Delete
type OrganizationDeletionPolicy string

// Organization deletion policies.
const (
	OrganizationRetain OrganizationDeletionPolicy = "Retain" // it stays in the server
	OrganizationDelete OrganizationDeletionPolicy = "Delete" // it is deleted with all its contents
)

// OrganizationState determines whether people can use an organization.
// +kubebuilder:validation:Enum=Active;Suspended
type OrganizationState string

// States of an organization.
const (
	OrganizationActive    OrganizationState = "Active"
	OrganizationSuspended OrganizationState = "Suspended"
)

// OrganizationOwner is a person who owns the organization.
type OrganizationOwner struct {
	// Email is the person's address. An account is created if there is none.
	// +kubebuilder:validation:MinLength=3
	// +kubebuilder:validation:MaxLength=254
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[^@\s]+@[^@\s]+$')`,message="email is a mail address: ada@corp.example"
	Email string `json:"email"`
	// FullName of an account that is created or promoted; by default the part of Email before the @.
	// +optional
	// +kubebuilder:validation:MaxLength=100
	FullName string `json:"fullName,omitempty"`
	// Credentials requests a Secret with the owner's API key, like that of a Bot. If unset, the operator doesn't change the
	// owner's keys.
	// +optional
	Credentials *Credentials `json:"credentials,omitempty"`
}

// OrganizationJoin configures how people join.
type OrganizationJoin struct {
	// InviteRequired admits only people who were invited.
	// +optional
	InviteRequired *bool `json:"inviteRequired,omitempty"`
	// InvitedBy determines who invites people.
	// +optional
	InvitedBy *MembersOrAdministrators `json:"invitedBy,omitempty"`
	// RestrictedToDomains admits only addresses of the organization's domains.
	// +optional
	RestrictedToDomains *bool `json:"restrictedToDomains,omitempty"`
	// DisposableAddresses admits disposable email addresses, unless addresses are restricted to domains.
	// +optional
	DisposableAddresses *bool `json:"disposableAddresses,omitempty"`
	// WaitingPeriodDays is the number of days after which a new account becomes a full member.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=36500
	WaitingPeriodDays *int32 `json:"waitingPeriodDays,omitempty"`
	// WelcomeMail sends mail to people who have joined.
	// +optional
	WelcomeMail *bool `json:"welcomeMail,omitempty"`
}

// OrganizationLimits are limits on an organization's stored data, and on the number of streams that users create. In another namespace
// than the ChatServer's, they can't exceed those in the spec of the ChatServer.
type OrganizationLimits struct {
	// MessageRetentionDays is how long messages are kept; -1: forever.
	// +optional
	// +kubebuilder:validation:Minimum=-1
	// +kubebuilder:validation:XValidation:rule="self != 0",message="messageRetentionDays is -1 (forever) or at least 1"
	MessageRetentionDays *int32 `json:"messageRetentionDays,omitempty"`
	// MaxStreams is the maximum number of active streams that people can create; by default 5000. Stream resources aren't limited.
	// +optional
	// +kubebuilder:validation:Minimum=0
	MaxStreams *int32 `json:"maxStreams,omitempty"`
	// MaxStreamsPerDay is the maximum number of streams that an account can create in 24 hours; by default 500.
	// +optional
	// +kubebuilder:validation:Minimum=0
	MaxStreamsPerDay *int32 `json:"maxStreamsPerDay,omitempty"`
	// UploadQuota is the maximum size of all uploaded files together; 0: no limit. Default: spec.files.organizationQuota of the ChatServer.
	// +optional
	// +kubebuilder:validation:XValidation:rule="!quantity(string(self)).isLessThan(quantity('0')) && !quantity(string(self)).isGreaterThan(quantity('8Pi'))",message="uploadQuota is 0, for no limit, or at most 8Pi"
	UploadQuota *resource.Quantity `json:"uploadQuota,omitempty"`
}

// OrganizationSpec is the desired state of an organization. Fields that aren't set are not managed: people in the organization may change them.
// +kubebuilder:validation:XValidation:rule="self.serverRef == oldSelf.serverRef",message="serverRef can't be changed: an organization can't move between servers"
// +kubebuilder:validation:XValidation:rule="self.subdomain == oldSelf.subdomain",message="subdomain can't be changed: clients have it in their addresses; delete the object and create another one"
// +kubebuilder:validation:XValidation:rule="!has(self.join) || !has(self.join.restrictedToDomains) || !self.join.restrictedToDomains || !has(self.domains) || size(self.domains) > 0",message="restrictedToDomains needs a domain: nobody could join; add one to domains, or leave domains to the people"
type OrganizationSpec struct {
	// ServerRef names the ChatServer.
	ServerRef Reference `json:"serverRef"`
	// Name is the display name.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=40
	Name string `json:"name"`
	// Subdomain of the server's host; empty: the organization is at the host itself.
	// +optional
	// +kubebuilder:default=""
	// +kubebuilder:validation:MaxLength=40
	// +kubebuilder:validation:XValidation:rule="self == '' || self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",message="subdomain has lower-case letters, digits and hyphens, and neither begins nor ends with a hyphen"
	Subdomain string `json:"subdomain"`
	// Description, in Markdown.
	// +optional
	// +kubebuilder:validation:MaxLength=1000
	Description *string `json:"description,omitempty"`
	// State can suspend the organization, so that users can't access it.
	// +optional
	// +kubebuilder:default=Active
	State OrganizationState `json:"state,omitempty"`
	// Owners of the organization. Owners in the server that aren't listed stay owners.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:XValidation:rule="self.all(a, self.exists_one(b, a.email.lowerAscii() == b.email.lowerAscii()))",message="an owner is listed twice, in upper and in lower case, which is one account: remove one of the two"
	// +kubebuilder:validation:XValidation:rule="self.all(a, !has(a.credentials) || self.exists_one(b, has(b.credentials) && a.credentials.secretName == b.credentials.secretName))",message="two owners have the same credentials.secretName, and a Secret has one key: choose another name for one of them"
	// +listType=map
	// +listMapKey=email
	Owners []OrganizationOwner `json:"owners"`
	// Join configures how people join.
	// +optional
	Join *OrganizationJoin `json:"join,omitempty"`
	// Limits are limits on stored data, and on the number of streams that users create. In another namespace than the ChatServer's,
	// they can't exceed those in the spec of the ChatServer.
	// +optional
	Limits *OrganizationLimits `json:"limits,omitempty"`
	// Permissions determine who may do what.
	// +optional
	Permissions *OrganizationPermissions `json:"permissions,omitempty"`
	// Messages configures messages and topics.
	// +optional
	Messages *OrganizationMessages `json:"messages,omitempty"`
	// Defaults are the defaults of new accounts.
	// +optional
	Defaults *OrganizationDefaults `json:"defaults,omitempty"`
	// Mail configures the organization's mail.
	// +optional
	Mail *OrganizationMail `json:"mail,omitempty"`
	// Domains are all domains whose addresses may join if join.restrictedToDomains is true. If unset, they are not managed.
	// +optional
	// +kubebuilder:validation:MaxItems=500
	// +listType=map
	// +listMapKey=domain
	Domains []OrganizationDomain `json:"domains,omitempty"`
	// Linkifiers are all patterns of texts that become links. If unset, they are not managed.
	// +optional
	// +kubebuilder:validation:MaxItems=50
	// +listType=map
	// +listMapKey=pattern
	Linkifiers []OrganizationLinkifier `json:"linkifiers,omitempty"`
	// UserGroups are all user groups that this resource manages. A group that is no longer listed is removed. Groups
	// that users or an identity provider have created stay.
	// +optional
	// +kubebuilder:validation:MaxItems=500
	// +listType=map
	// +listMapKey=name
	UserGroups []OrganizationUserGroup `json:"userGroups,omitempty"`
	// Settings are further settings, by their names in the HTTP interface, such as third_party_avatars. The server
	// checks them. Fields of the spec take precedence over them.
	// +optional
	// +kubebuilder:validation:MaxProperties=64
	Settings map[string]apiextensionsv1.JSON `json:"settings,omitempty"`
	// AllowedNamespaces selects the namespaces whose Streams, Users, Bots and IncomingWebhooks may refer to this
	// Organization.
	// +optional
	// +kubebuilder:default={from: Same}
	AllowedNamespaces AllowedNamespaces `json:"allowedNamespaces,omitempty"`
	// Adopt takes over an existing organization with that subdomain.
	// +optional
	Adopt bool `json:"adopt,omitempty"`
	// DeletionPolicy determines what happens to the organization when this object is deleted. Retain: it stays in the server.
	// Delete: it is deleted permanently, with all messages.
	// +optional
	// +kubebuilder:default=Retain
	DeletionPolicy OrganizationDeletionPolicy `json:"deletionPolicy,omitempty"`
}

// OrganizationOwnerStatus describes the key of an owner.
type OrganizationOwnerStatus struct {
	// Email is the owner's address.
	Email string `json:"email"`
	// Credentials describes the owner's key.
	Credentials CredentialsStatus `json:"credentials"`
}

// OrganizationStatus is the observed state of an organization.
type OrganizationStatus struct {
	GuestStatus `json:",inline"`
	// URL for clients.
	// +optional
	URL string `json:"url,omitempty"`
	// Owners has an entry for each owner with credentials.
	// +optional
	// +listType=map
	// +listMapKey=email
	Owners []OrganizationOwnerStatus `json:"owners,omitempty"`
	// UserGroups has an entry for each user group in the spec.
	// +optional
	// +listType=map
	// +listMapKey=name
	UserGroups []OrganizationUserGroupStatus `json:"userGroups,omitempty"`
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

	Spec OrganizationSpec `json:"spec"`
	// +kubebuilder:default={conditions: {{type: "Ready", status: "Unknown", reason: "Pending", message: "no operator has seen this object yet: does one run, and does it watch this namespace?", lastTransitionTime: "1970-01-01T00:00:00Z"}}}
	Status OrganizationStatus `json:"status,omitempty"`
}

// OrganizationList is a list of organizations.
// +kubebuilder:object:root=true
type OrganizationList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Organization `json:"items"`
}
