package v1alpha1

// WebPush configures notifications that browsers show while no page is open.
type WebPush struct {
	// SecretRef is the Secret key with the private key that identifies the server to push services (VAPID): 32 bytes of
	// P-256 in base64url. Changing it ends the subscriptions of all browsers. Default: the operator generates a key, in
	// the Secret NAME-web-push.
	// +optional
	SecretRef *SecretKey `json:"secretRef,omitempty"`
	// Content determines whether notifications contain text, sender and place of messages.
	// +optional
	// +kubebuilder:default=Enabled
	Content Switch `json:"content,omitempty"`
	// Networks are networks whose addresses push services may have, at all ports, in addition to ports 80 and 443 of
	// public addresses: 10.1.0.0/16.
	// +optional
	// +kubebuilder:validation:MaxItems=32
	// +listType=set
	Networks []Network `json:"networks,omitempty"`
}
