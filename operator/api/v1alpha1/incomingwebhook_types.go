package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// SecretTypeIncomingWebhook is the type of the Secret that has the address of an IncomingWebhook.
const SecretTypeIncomingWebhook = Group + "/incoming-webhook"

// IncomingWebhookSpec is the desired state of an incoming webhook. Fields that aren't set are not managed: its owner may change them.
// +kubebuilder:validation:XValidation:rule="self.organizationRef == oldSelf.organizationRef",message="organizationRef can't be changed: a webhook can't move between organizations"
// +kubebuilder:validation:XValidation:rule="self.shortName == oldSelf.shortName",message="shortName can't be changed: it is in the address of the webhook's bot; delete the object and create another one"
// +kubebuilder:validation:XValidation:rule="self.integration == oldSelf.integration",message="integration can't be changed: it is in the address that others post to; delete the object and create another one"
// +kubebuilder:validation:XValidation:rule="has(self.stream) || has(self.owner)",message="stream or owner is needed: the webhook's messages need a destination"
// +kubebuilder:validation:XValidation:rule="!has(self.topic) || has(self.stream)",message="topic needs stream: private messages have no topic"
type IncomingWebhookSpec struct {
	// OrganizationRef names the Organization.
	OrganizationRef Reference `json:"organizationRef"`
	// ShortName is the beginning of the address of the webhook's bot; empty: the name of this object.
	// +optional
	// +kubebuilder:default=""
	// +kubebuilder:validation:MaxLength=50
	// +kubebuilder:validation:XValidation:rule="self == '' || self.matches('^[a-z0-9]([-a-z0-9._]*[a-z0-9])?$')",message="shortName has lower-case letters, digits, dots, hyphens and underscores, and begins and ends with a letter or digit"
	ShortName string `json:"shortName"`
	// Integration is the kind of the sender, such as alertmanager.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=60
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[a-z0-9_-]+$')`,message="integration is the name of one in the documentation, in lower case: alertmanager"
	Integration string `json:"integration"`
	// FullName of the webhook's bot; empty: the name of this object, preceded by the name of the integration if it has
	// a single letter.
	// +optional
	// +kubebuilder:validation:MaxLength=100
	FullName string `json:"fullName,omitempty"`
	// Owner is the email address of the person responsible for the webhook.
	// +optional
	// +kubebuilder:validation:MinLength=3
	// +kubebuilder:validation:MaxLength=254
	Owner *string `json:"owner,omitempty"`
	// Stream is the name of the stream to send to. Default: a new webhook sends to its owner.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=60
	Stream *string `json:"stream,omitempty"`
	// Topic to send to. Default: the integration chooses.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=60
	Topic *string `json:"topic,omitempty"`
	// Credentials names the Secret for the address with the key: url (complete), api-key, email and site.
	Credentials Credentials `json:"credentials"`
	// Adopt takes over an existing webhook bot with that address.
	// +optional
	Adopt bool `json:"adopt,omitempty"`
	// DeletionPolicy determines what happens to the webhook when this object is deleted. Deactivate: its keys are revoked,
	// and its messages stay. Retain: it stays, and its key is valid.
	// +optional
	// +kubebuilder:default=Deactivate
	DeletionPolicy BotDeletionPolicy `json:"deletionPolicy,omitempty"`
}

// IncomingWebhookStatus is the observed state of an incoming webhook.
type IncomingWebhookStatus struct {
	GuestStatus `json:",inline"`
	// URL is the address to post to, without the key.
	// +optional
	URL string `json:"url,omitempty"`
	// Email is the address of the webhook's bot.
	// +optional
	Email string `json:"email,omitempty"`
	// Credentials describes its key.
	// +optional
	Credentials CredentialsStatus `json:"credentials,omitempty"`
}

// IncomingWebhook allows another system to post messages into an Organization. It is a separate kind, so that access to
// it can be granted without access to Bots.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=chathook,categories=chat-all
// +kubebuilder:printcolumn:name="Organization",type=string,JSONPath=`.spec.organizationRef.name`
// +kubebuilder:printcolumn:name="Integration",type=string,JSONPath=`.spec.integration`
// +kubebuilder:printcolumn:name="Secret",type=string,JSONPath=`.spec.credentials.secretName`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="URL",type=string,JSONPath=`.status.url`,priority=1
// +kubebuilder:printcolumn:name="Message",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].message`,priority=1
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type IncomingWebhook struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec IncomingWebhookSpec `json:"spec"`
	// +kubebuilder:default={conditions: {{type: "Ready", status: "Unknown", reason: "Pending", message: "no operator has seen this object yet: does one run, and does it watch this namespace?", lastTransitionTime: "1970-01-01T00:00:00Z"}}}
	Status IncomingWebhookStatus `json:"status,omitempty"`
}

// IncomingWebhookList is a list of incoming webhooks.
// +kubebuilder:object:root=true
type IncomingWebhookList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []IncomingWebhook `json:"items"`
}
