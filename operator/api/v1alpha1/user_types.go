package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// UserDeletionPolicy determines what happens to a person's account when its resource is deleted.
// +kubebuilder:validation:Enum=Retain;Deactivate
type UserDeletionPolicy string

// User deletion policies.
const (
	UserRetain     UserDeletionPolicy = "Retain"     // it stays as it is
	UserDeactivate UserDeletionPolicy = "Deactivate" // the account and the person's bots are deactivated; messages stay
)

// UserState determines whether a person can use their account.
// +kubebuilder:validation:Enum=Active;Deactivated
type UserState string

// States of a user.
const (
	UserActive      UserState = "Active"
	UserDeactivated UserState = "Deactivated"
)

// UserSpec is the desired state of a person's account. Fields that aren't set are not managed: the person may change them.
// +kubebuilder:validation:XValidation:rule="self.organizationRef == oldSelf.organizationRef",message="organizationRef can't be changed: an account can't move between organizations"
// +kubebuilder:validation:XValidation:rule="!has(self.initialPassword) || !has(self.announce) || !self.announce",message="initialPassword and announce exclude each other: the mail has a link to choose a password"
type UserSpec struct {
	// OrganizationRef names the Organization.
	OrganizationRef Reference `json:"organizationRef"`
	// Email is the address that the person signs in with. Changing it changes the address of the account.
	// +kubebuilder:validation:MinLength=3
	// +kubebuilder:validation:MaxLength=254
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[^@\s]+@[^@\s]+$')`,message="email is a mail address: grace@corp.example"
	Email string `json:"email"`
	// FullName is the display name. Default for a new account: the part of Email before the @.
	// +optional
	// +kubebuilder:validation:MinLength=2
	// +kubebuilder:validation:MaxLength=100
	FullName *string `json:"fullName,omitempty"`
	// Role determines what the person may do. Default for a new account: the role of the person's invitation, or
	// Member.
	// +optional
	Role *Role `json:"role,omitempty"`
	// State can deactivate the account, and the bots of that person.
	// +optional
	// +kubebuilder:default=Active
	State UserState `json:"state,omitempty"`
	// Groups are the names of user groups that the person is added to. The person is removed from a group that is no
	// longer listed; other memberships stay unchanged. A group whose members the Organization lists can't be named
	// here.
	// +optional
	// +kubebuilder:validation:MaxItems=100
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=100
	// +listType=set
	Groups []string `json:"groups,omitempty"`
	// Announce sends a single mail about the account, with a link for choosing a password. It requires spec.mail of the
	// ChatServer. Without it, and without initialPassword, people sign in with an identity provider, or request a link
	// at the organization's page /reset/.
	// +optional
	Announce bool `json:"announce,omitempty"`
	// InitialPassword is the key of a Secret whose value becomes the password of an account without one. It never
	// replaces a password, and isn't read once the account has one.
	// +optional
	InitialPassword *SecretKey `json:"initialPassword,omitempty"`
	// Adopt takes over an existing active account with that address.
	// +optional
	Adopt bool `json:"adopt,omitempty"`
	// DeletionPolicy determines what happens to the account when this object is deleted. Deactivate: nobody can use the account
	// or the person's bots, and messages stay. Retain: it stays as it is.
	// +optional
	// +kubebuilder:default=Deactivate
	DeletionPolicy UserDeletionPolicy `json:"deletionPolicy,omitempty"`
}

// UserStatus is the observed state of a person's account.
type UserStatus struct {
	GuestStatus `json:",inline"`
	// HasPassword is whether the account has a password.
	// +optional
	HasPassword bool `json:"hasPassword,omitempty"`
}

// User is the account of a person in an Organization.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=chatuser,categories=chat-all
// +kubebuilder:printcolumn:name="Organization",type=string,JSONPath=`.spec.organizationRef.name`
// +kubebuilder:printcolumn:name="Email",type=string,JSONPath=`.spec.email`
// +kubebuilder:printcolumn:name="State",type=string,JSONPath=`.spec.state`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`,priority=1
// +kubebuilder:printcolumn:name="Message",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].message`,priority=1
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type User struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec UserSpec `json:"spec"`
	// +kubebuilder:default={conditions: {{type: "Ready", status: "Unknown", reason: "Pending", message: "no operator has seen this object yet: does one run, and does it watch this namespace?", lastTransitionTime: "1970-01-01T00:00:00Z"}}}
	Status UserStatus `json:"status,omitempty"`
}

// UserList is a list of users.
// +kubebuilder:object:root=true
type UserList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []User `json:"items"`
}
