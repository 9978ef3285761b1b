package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// BotDeletionPolicy determines what happens to a bot or a webhook when its resource is deleted.
// +kubebuilder:validation:Enum=Retain;Deactivate
type BotDeletionPolicy string

// Bot deletion policies.
const (
	BotRetain     BotDeletionPolicy = "Retain"     // it keeps working, with its key
	BotDeactivate BotDeletionPolicy = "Deactivate" // its keys are revoked; its messages stay
)

// Role is what an account may do.
// +kubebuilder:validation:Enum=Owner;Administrator;Member;Guest
type Role string

// Roles.
const (
	RoleOwner         Role = "Owner"
	RoleAdministrator Role = "Administrator"
	RoleMember        Role = "Member"
	RoleGuest         Role = "Guest"
)

// BotSpec is the desired state of a bot. Fields that aren't set are not managed: its owner may change them.
// +kubebuilder:validation:XValidation:rule="self.organizationRef == oldSelf.organizationRef",message="organizationRef can't be changed: a bot can't move between organizations"
// +kubebuilder:validation:XValidation:rule="self.shortName == oldSelf.shortName",message="shortName can't be changed: it is in the bot's address; delete the object and create another one"
type BotSpec struct {
	// OrganizationRef names the Organization.
	OrganizationRef Reference `json:"organizationRef"`
	// ShortName is the beginning of the bot's address; empty: the name of this object.
	// +optional
	// +kubebuilder:default=""
	// +kubebuilder:validation:MaxLength=50
	// +kubebuilder:validation:XValidation:rule="self == '' || self.matches('^[a-z0-9]([-a-z0-9._]*[a-z0-9])?$')",message="shortName has lower-case letters, digits, dots, hyphens and underscores, and begins and ends with a letter or digit"
	ShortName string `json:"shortName"`
	// FullName is the display name.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=100
	FullName string `json:"fullName"`
	// Owner is the email address of the person responsible for the bot; empty: there is none.
	// +optional
	// +kubebuilder:validation:MaxLength=254
	Owner *string `json:"owner,omitempty"`
	// Role determines its permissions.
	// +optional
	// +kubebuilder:default=Member
	Role Role `json:"role,omitempty"`
	// Subscriptions are the names of all streams that the bot is subscribed to. If unset, its owner manages them.
	// +optional
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=60
	// +listType=set
	Subscriptions []string `json:"subscriptions,omitempty"`
	// Credentials names the Secret for its API key: site, url (of the HTTP interface), email, api-key and zuliprc,
	// a configuration file that existing clients can read.
	Credentials Credentials `json:"credentials"`
	// Adopt takes over an existing bot with that address.
	// +optional
	Adopt bool `json:"adopt,omitempty"`
	// DeletionPolicy determines what happens to the bot when this object is deleted. Deactivate: its keys are revoked, and
	// its messages stay. Retain: it stays, and its key is valid.
	// +optional
	// +kubebuilder:default=Deactivate
	DeletionPolicy BotDeletionPolicy `json:"deletionPolicy,omitempty"`
}

// BotStatus is the observed state of a bot.
type BotStatus struct {
	GuestStatus `json:",inline"`
	// Email is its address.
	// +optional
	Email string `json:"email,omitempty"`
	// Credentials describes its key.
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

	Spec BotSpec `json:"spec"`
	// +kubebuilder:default={conditions: {{type: "Ready", status: "Unknown", reason: "Pending", message: "no operator has seen this object yet: does one run, and does it watch this namespace?", lastTransitionTime: "1970-01-01T00:00:00Z"}}}
	Status BotStatus `json:"status,omitempty"`
}

// BotList is a list of bots.
// +kubebuilder:object:root=true
type BotList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Bot `json:"items"`
}
