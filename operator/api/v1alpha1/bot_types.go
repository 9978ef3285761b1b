package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// BotDeletionPolicy says what becomes of a bot or a webhook when its resource is deleted.
// +kubebuilder:validation:Enum=Retain;Deactivate
type BotDeletionPolicy string

// What becomes of a bot.
const (
	BotRetain     BotDeletionPolicy = "Retain"     // it works on, with its key
	BotDeactivate BotDeletionPolicy = "Deactivate" // its keys end; what it has sent stays
)

// Role is what an account may do.
// +kubebuilder:validation:Enum=Owner;Administrator;Member;Guest
type Role string

// What an account may do.
const (
	RoleOwner         Role = "Owner"
	RoleAdministrator Role = "Administrator"
	RoleMember        Role = "Member"
	RoleGuest         Role = "Guest"
)

// BotSpec is how a bot is to be. What isn't named belongs to its owner.
// +kubebuilder:validation:XValidation:rule="self.organizationRef == oldSelf.organizationRef",message="organizationRef can't be changed: a bot can't move between organizations"
// +kubebuilder:validation:XValidation:rule="self.shortName == oldSelf.shortName",message="shortName can't be changed: it is in the bot's address; delete the object and make another one"
type BotSpec struct {
	// OrganizationRef names the Organization.
	OrganizationRef Reference `json:"organizationRef"`
	// ShortName begins the bot's address; empty: the name of this object.
	// +optional
	// +kubebuilder:default=""
	// +kubebuilder:validation:MaxLength=50
	// +kubebuilder:validation:XValidation:rule="self == '' || self.matches('^[a-z0-9]([-a-z0-9._]*[a-z0-9])?$')",message="shortName has lower-case letters, digits, dots, hyphens and underscores, and begins and ends with a letter or digit"
	ShortName string `json:"shortName"`
	// FullName for people.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=100
	FullName string `json:"fullName"`
	// Owner is the address of the person who answers for it; empty: nobody.
	// +optional
	// +kubebuilder:validation:MaxLength=254
	Owner *string `json:"owner,omitempty"`
	// Role is what it may do.
	// +optional
	// +kubebuilder:default=Member
	Role Role `json:"role,omitempty"`
	// Subscriptions are the names of all streams that it is subscribed to. Left out, they belong to its owner.
	// +optional
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=60
	// +listType=set
	Subscriptions []string `json:"subscriptions,omitempty"`
	// Credentials says where its API key goes: site, url (of the HTTP interface), email, api-key and zuliprc,
	// which has them in the form that existing clients read.
	Credentials Credentials `json:"credentials"`
	// Adopt takes over a bot of that address that people have made.
	// +optional
	Adopt bool `json:"adopt,omitempty"`
	// DeletionPolicy says what becomes of it when this object is deleted.
	// +optional
	// +kubebuilder:default=Deactivate
	DeletionPolicy BotDeletionPolicy `json:"deletionPolicy,omitempty"`
}

// BotStatus is how a bot is.
type BotStatus struct {
	GuestStatus `json:",inline"`
	// Email is its address.
	// +optional
	Email string `json:"email,omitempty"`
	// Credentials are its key.
	// +optional
	Credentials CredentialsStatus `json:"credentials,omitempty"`
}

// Bot is an account for a program in an Organization.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=chatbot,categories=chat-all
// +kubebuilder:printcolumn:name="Organization",type=string,JSONPath=`.spec.organizationRef.name`
// +kubebuilder:printcolumn:name="Secret",type=string,JSONPath=`.spec.credentials.secretName`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Email",type=string,JSONPath=`.status.email`,priority=1
// +kubebuilder:printcolumn:name="Issued",type=date,JSONPath=`.status.credentials.issuedAt`,priority=1
// +kubebuilder:printcolumn:name="Message",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].message`,priority=1
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type Bot struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   BotSpec   `json:"spec"`
	Status BotStatus `json:"status,omitempty"`
}

// BotList is a list of bots.
// +kubebuilder:object:root=true
type BotList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Bot `json:"items"`
}
