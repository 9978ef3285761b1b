package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// StreamDeletionPolicy determines what happens to a stream when its resource is deleted.
// +kubebuilder:validation:Enum=Retain;Archive
type StreamDeletionPolicy string

// Stream deletion policies.
const (
	StreamRetain  StreamDeletionPolicy = "Retain"  // it stays unchanged
	StreamArchive StreamDeletionPolicy = "Archive" // it is archived; its messages stay
)

// StreamPrivacy determines who can see a stream.
// +kubebuilder:validation:Enum=Public;Private
type StreamPrivacy string

// Privacy of a stream.
const (
	StreamPublic  StreamPrivacy = "Public"  // all members
	StreamPrivate StreamPrivacy = "Private" // subscribers only
)

// StreamPostPolicy determines who may send to a stream.
// +kubebuilder:validation:Enum=Everyone;Administrators;NewMembers
type StreamPostPolicy string

// Post policies.
const (
	PostEveryone       StreamPostPolicy = "Everyone"
	PostAdministrators StreamPostPolicy = "Administrators"
	PostNewMembers     StreamPostPolicy = "NewMembers" // members before join.waitingPeriodDays, and administrators
)

// StreamSpec is the desired state of a stream. Fields that aren't set are not managed: people in the organization may change them.
// +kubebuilder:validation:XValidation:rule="self.organizationRef == oldSelf.organizationRef",message="organizationRef can't be changed: a stream can't move between organizations"
// +kubebuilder:validation:XValidation:rule="!has(self.sharedHistory) || self.privacy == 'Private' || self.sharedHistory",message="sharedHistory: false needs privacy: Private, since everybody reads the history of a public stream"
type StreamSpec struct {
	// OrganizationRef names the Organization.
	OrganizationRef Reference `json:"organizationRef"`
	// Name of the stream. Changing it renames the stream.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=60
	Name string `json:"name"`
	// Description, in Markdown.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Description *string `json:"description,omitempty"`
	// Privacy determines who can see the stream.
	// +optional
	// +kubebuilder:default=Public
	Privacy StreamPrivacy `json:"privacy,omitempty"`
	// SharedHistory allows new subscribers of a private stream to read earlier messages.
	// +optional
	SharedHistory *bool `json:"sharedHistory,omitempty"`
	// PostPolicy determines who may send to the stream. NewMembers are accounts younger than the Organization's
	// join.waitingPeriodDays; administrators may always send.
	// +optional
	PostPolicy *StreamPostPolicy `json:"postPolicy,omitempty"`
	// MessageRetentionDays is how long messages are kept; -1: forever, 0: the organization's setting.
	// +optional
	// +kubebuilder:validation:Minimum=-1
	MessageRetentionDays *int32 `json:"messageRetentionDays,omitempty"`
	// Default subscribes new accounts to the stream.
	// +optional
	Default *bool `json:"default,omitempty"`
	// Adopt takes over an existing stream with that name.
	// +optional
	Adopt bool `json:"adopt,omitempty"`
	// DeletionPolicy determines what happens to the stream when this object is deleted. Retain: it stays unchanged. Archive:
	// it is archived, and its messages stay.
	// +optional
	// +kubebuilder:default=Retain
	DeletionPolicy StreamDeletionPolicy `json:"deletionPolicy,omitempty"`
}

// StreamStatus is the observed state of a stream.
type StreamStatus struct {
	GuestStatus `json:",inline"`
}

// Stream is a stream of an Organization.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=chatstream,categories=chat-all
// +kubebuilder:printcolumn:name="Organization",type=string,JSONPath=`.spec.organizationRef.name`
// +kubebuilder:printcolumn:name="Stream",type=string,JSONPath=`.spec.name`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`,priority=1
// +kubebuilder:printcolumn:name="Message",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].message`,priority=1
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type Stream struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec StreamSpec `json:"spec"`
	// +kubebuilder:default={conditions: {{type: "Ready", status: "Unknown", reason: "Pending", message: "no operator has seen this object yet: does one run, and does it watch this namespace?", lastTransitionTime: "1970-01-01T00:00:00Z"}}}
	Status StreamStatus `json:"status,omitempty"`
}

// StreamList is a list of streams.
// +kubebuilder:object:root=true
type StreamList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Stream `json:"items"`
}
