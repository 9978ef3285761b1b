package v1alpha1

// Web configures the web client.
type Web struct {
	// Enabled serves the web client at / of each organization's host. Other clients and the links in mail work without
	// it.
	// +optional
	// +kubebuilder:default=true
	Enabled *bool `json:"enabled,omitempty"`
}
