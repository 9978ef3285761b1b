package v1alpha1

const (
	// Product is the value of the labels name and part-of of a server's objects.
	Product = "chatserver"
	// Manager is the operator: as field manager, in events, and in the labels managed-by of what it makes and name of
	// its own pods.
	Manager = "chatserver-operator"
)

// Labels of everything that the operator makes, as Kubernetes recommends them.
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
	AnnotationIssuedAt      = Group + "/issued-at"      // when what is in force was issued, as RFC 3339 has it
	AnnotationRotationToken = Group + "/rotation-token" // the value of rotationToken that it was issued for
)
