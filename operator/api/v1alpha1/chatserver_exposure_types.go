package v1alpha1

// IngressExposure exposes the server by an Ingress.
type IngressExposure struct {
	// ClassName of the Ingress; empty: the cluster's default.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	ClassName string `json:"className,omitempty"`
	// Annotations of the Ingress. They take precedence over the operator's own, which set timeouts for long polls, and no limit for bodies.
	// +optional
	// +kubebuilder:validation:MaxProperties=64
	Annotations map[string]string `json:"annotations,omitempty"`
}

// +structType=atomic

// GatewayParent names the Gateway that a route belongs to.
type GatewayParent struct {
	// Name of the Gateway.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
	// Namespace of the Gateway; empty: this one.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Namespace string `json:"namespace,omitempty"`
	// SectionName is the Gateway's listener; empty: all matching listeners.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	SectionName string `json:"sectionName,omitempty"`
}

// GatewayExposure exposes the server by an HTTPRoute of the Gateway API.
type GatewayExposure struct {
	// ParentRef names the Gateway, which has certificates of its own.
	ParentRef GatewayParent `json:"parentRef"`
	// Annotations of the HTTPRoute.
	// +optional
	// +kubebuilder:validation:MaxProperties=64
	Annotations map[string]string `json:"annotations,omitempty"`
}

// IssuerReference names an issuer of cert-manager.
type IssuerReference struct {
	// Name of the issuer.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
	// Kind of the issuer.
	// +optional
	// +kubebuilder:default=Issuer
	// +kubebuilder:validation:Enum=Issuer;ClusterIssuer
	Kind string `json:"kind,omitempty"`
}

// TLS configures the certificate.
// +kubebuilder:validation:XValidation:rule="has(self.secretName) != has(self.issuerRef)",message="tls has either secretName, for an existing certificate, or issuerRef, for one of cert-manager"
type TLS struct {
	// SecretName is a Secret of type kubernetes.io/tls for the host and all its subdomains.
	// +optional
	SecretName ObjectName `json:"secretName,omitempty"`
	// IssuerRef requests a certificate from cert-manager.
	// +optional
	IssuerRef *IssuerReference `json:"issuerRef,omitempty"`
}

// Exposure configures access from outside the cluster.
// +kubebuilder:validation:XValidation:rule="!(has(self.ingress) && has(self.gateway))",message="ingress and gateway are mutually exclusive: keep one"
// +kubebuilder:validation:XValidation:rule="!has(self.tls) || self.scheme == 'https'",message="tls needs scheme: https"
// +kubebuilder:validation:XValidation:rule="!has(self.tls) || has(self.ingress) || has(self.gateway)",message="tls needs ingress or gateway: without them nothing terminates TLS"
type Exposure struct {
	// Scheme of the addresses that clients use.
	// +optional
	// +kubebuilder:default=https
	// +kubebuilder:validation:Enum=http;https
	Scheme string `json:"scheme,omitempty"`
	// Ingress exposes the server by an Ingress.
	// +optional
	Ingress *IngressExposure `json:"ingress,omitempty"`
	// Gateway exposes the server by an HTTPRoute.
	// +optional
	Gateway *GatewayExposure `json:"gateway,omitempty"`
	// TLS configures the certificate. If unset, the operator doesn't manage it.
	// +optional
	TLS *TLS `json:"tls,omitempty"`
}
