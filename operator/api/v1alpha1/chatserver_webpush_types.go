package v1alpha1

// WebPush configures notifications that browsers show while no page is open.
type WebPush struct {
	// SecretRef is the Secret key with the private key by which push services know the server (VAPID): 32 bytes of P-256 in base64url. Browsers
	// subscribe for it; with another one they have to do so again. Default: the operator makes one, in the Secret NAME-web-push.
	// +optional
	SecretRef *SecretKey `json:"secretRef,omitempty"`
	// Content is Disabled if notifications don't have what messages say, who sent them and where.
	// +optional
	// +kubebuilder:default=Enabled
	Content Switch `json:"content,omitempty"`
	// Networks are those in which push services may be, at all ports, beside ports 80 and 443 of public addresses: 10.1.0.0/16.
	// +optional
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MaxLength=43
	// +kubebuilder:validation:XValidation:rule="self.all(n, isCIDR(n) && cidr(n) == cidr(n).masked())",message="a network is written as 10.1.0.0/16 or fd00:1::/32, without bits after the prefix"
	// +listType=set
	Networks []string `json:"networks,omitempty"`
}
