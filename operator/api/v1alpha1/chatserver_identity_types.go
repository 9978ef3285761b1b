package v1alpha1

// IdentityProvider is an OpenID Connect provider that users can sign in with.
// +kubebuilder:validation:XValidation:rule="!has(self.roles) || has(self.groupsClaim)",message="roles needs groupsClaim, the name of the claim with the groups"
type IdentityProvider struct {
	// Slot identifies the provider to clients. Login pages list providers in the order of their slots. The redirect
	// address to register at the provider is https://<host>/accounts/complete/<slot>.
	// +kubebuilder:validation:Enum=idp_1;idp_2;idp_3;idp_4;idp_5
	Slot string `json:"slot"`
	// Issuer is the provider's address, exactly as in the issuer field of its discovery document.
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^https://[^/?#@\s]+(/[^?#\s]*)?$')`,message="issuer begins with https:// and has neither a user, nor a query, nor a fragment: https://login.example/realms/staff"
	Issuer string `json:"issuer"`
	// ClientID is the server's client ID at the provider.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	ClientID string `json:"clientID"`
	// ClientSecretRef is the Secret key with the secret of the client. Default: none; PKCE is always used.
	// +optional
	ClientSecretRef *SecretKey `json:"clientSecretRef,omitempty"`
	// DisplayName is the provider's name on login pages.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=100
	DisplayName string `json:"displayName"`
	// DisplayIcon is the address of a picture for login pages.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^https://[^/\s]+(/\S*)?$')`,message="displayIcon is the address of a picture and begins with https://"
	DisplayIcon string `json:"displayIcon,omitempty"`
	// Scopes besides openid. Default: email and profile.
	// +optional
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=128
	// +listType=set
	Scopes []string `json:"scopes,omitempty"`
	// GroupsClaim is the claim with a user's groups.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	GroupsClaim string `json:"groupsClaim,omitempty"`
	// Roles maps groups to roles; "*" is for users in none of these groups. At each login, an account gets the highest
	// role of its groups.
	// +optional
	// +kubebuilder:validation:MaxProperties=64
	Roles map[string]Role `json:"roles,omitempty"`
	// TrustEmails treats addresses as verified although the provider doesn't send email_verified. Anyone who can choose
	// their address at the provider can then sign in to the account with that address.
	// +optional
	TrustEmails bool `json:"trustEmails,omitempty"`
	// Organizations are the subdomains of the organizations that have the provider; "" is the host itself. Default: all.
	// +optional
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:MaxLength=40
	// +listType=set
	Organizations []string `json:"organizations,omitempty"`
}
