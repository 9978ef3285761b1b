package v1alpha1

// Web configures the web client.
type Web struct {
	// Enabled serves the web client at / of each organization's host. Other programs work without it, and so do links in mail.
	// +optional
	// +kubebuilder:default=true
	Enabled *bool `json:"enabled,omitempty"`
}
