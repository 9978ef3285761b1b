package v1alpha1

const (
	// Product is the value of the labels name and part-of of a server's objects.
	Product = "chatserver"
	// Manager is the operator's name: as field manager, in events, in the label managed-by of its objects, and in the
	// label name of its own pods.
	Manager = "chatserver-operator"
)

// Labels of everything that the operator creates, as recommended by Kubernetes.
const (
	LabelName      = "app.kubernetes.io/name"
	LabelInstance  = "app.kubernetes.io/instance"  // the ChatServer's name
	LabelComponent = "app.kubernetes.io/component" // api, events, webhook, …
	LabelPartOf    = "app.kubernetes.io/part-of"
	LabelManagedBy = "app.kubernetes.io/managed-by"
	LabelVersion   = "app.kubernetes.io/version"
)

// Annotations of Secrets with keys and tokens.
const (
	AnnotationIssuedAt      = Group + "/issued-at"      // when the current value was issued, in RFC 3339 format
	AnnotationRotationToken = Group + "/rotation-token" // the value of rotationToken that the current value was issued for
	AnnotationCredentialsOf = Group + "/credentials-of" // the account inside a server whose key the Secret has
	AnnotationCredentialsAt = Group + "/credentials-at" // the namespace and name of that ChatServer
)
