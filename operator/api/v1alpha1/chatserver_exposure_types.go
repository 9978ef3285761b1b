package v1alpha1

// IngressExposure is a way in by an Ingress.
type IngressExposure struct {
	// ClassName of the Ingress; empty: the cluster's default.
	// +optional
	ClassName string `json:"className,omitempty"`
	// Annotations of the Ingress. They win over the operator's own, which set timeouts for long polls.
	// +optional
	// +kubebuilder:validation:MaxProperties=64
	Annotations map[string]string `json:"annotations,omitempty"`
}

// GatewayParent names the Gateway that a route belongs to.
type GatewayParent struct {
	// Name of the Gateway.
	// +kubebuilder:validation:MinLength=1
	Name string `json:"name"`
	// Namespace of the Gateway; empty: this one.
	// +optional
	Namespace string `json:"namespace,omitempty"`
	// SectionName is the Gateway's listener; empty: all that fit.
	// +optional
	SectionName string `json:"sectionName,omitempty"`
}

// GatewayExposure is a way in by an HTTPRoute of the Gateway API.
type GatewayExposure struct {
	// ParentRef names the Gateway. Certificates are its own business.
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
	Name string `json:"name"`
	// Kind of the issuer.
	// +optional
	// +kubebuilder:default=Issuer
	// +kubebuilder:validation:Enum=Issuer;ClusterIssuer
	Kind string `json:"kind,omitempty"`
}

// TLS says where the certificate comes from.
// +kubebuilder:validation:XValidation:rule="has(self.secretName) != has(self.issuerRef)",message="tls has either secretName, for a certificate that is there, or issuerRef, for one of cert-manager"
type TLS struct {
	// SecretName is a Secret of type kubernetes.io/tls for the host and all names below it.
	// +optional
	// +kubebuilder:validation:MinLength=1
	SecretName string `json:"secretName,omitempty"`
	// IssuerRef lets cert-manager make one.
	// +optional
	IssuerRef *IssuerReference `json:"issuerRef,omitempty"`
}

// Exposure says how clients get in from outside of the cluster.
// +kubebuilder:validation:XValidation:rule="!(has(self.ingress) && has(self.gateway))",message="ingress and gateway exclude each other: keep one way in"
// +kubebuilder:validation:XValidation:rule="!has(self.tls) || self.scheme == 'https'",message="tls needs scheme: https"
// +kubebuilder:validation:XValidation:rule="!has(self.tls) || has(self.ingress) || has(self.gateway)",message="tls needs ingress or gateway: without them nothing ends TLS"
type Exposure struct {
	// Scheme is how clients reach it.
	// +optional
	// +kubebuilder:default=https
	// +kubebuilder:validation:Enum=http;https
	Scheme string `json:"scheme,omitempty"`
	// Ingress is one way in.
	// +optional
	Ingress *IngressExposure `json:"ingress,omitempty"`
	// Gateway is another.
	// +optional
	Gateway *GatewayExposure `json:"gateway,omitempty"`
	// TLS is the certificate. Left out, somebody else takes care of it.
	// +optional
	TLS *TLS `json:"tls,omitempty"`
}
