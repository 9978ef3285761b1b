package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// ComponentStatus is how one of the services runs.
type ComponentStatus struct {
	// Image that is rolled out.
	// +optional
	Image string `json:"image,omitempty"`
	// Replicas there are.
	Replicas int32 `json:"replicas"`
	// ReadyReplicas serve.
	ReadyReplicas int32 `json:"readyReplicas"`
	// Selector of its pods.
	// +optional
	Selector string `json:"selector,omitempty"`
}

// SchemaStatus is about the schema of the database.
type SchemaStatus struct {
	// Version of the schema.
	Version int64 `json:"version"`
	// MinServerVersion is the oldest version of chatserver that works with it: the floor of a rollback.
	// +optional
	MinServerVersion string `json:"minServerVersion,omitempty"`
	// ServerVersion is the version of chatserver whose migration ran last.
	// +optional
	ServerVersion string `json:"serverVersion,omitempty"`
	// Migration is the sum of that version, its image and the logins that it made: an equal one needs no Job.
	// +optional
	Migration string `json:"migration,omitempty"`
}

// UpgradePhase says how far a new version has come.
// +kubebuilder:validation:Enum=Migrate;Rollout
type UpgradePhase string

// How far a new version has come.
const (
	PhaseMigrate UpgradePhase = "Migrate" // a Job checks configuration and database, then extends the schema
	PhaseRollout UpgradePhase = "Rollout" // pods are replaced
)

// UpgradeStatus is about a new version on its way in.
type UpgradeStatus struct {
	// From is the version before; empty at the first installation.
	// +optional
	From string `json:"from,omitempty"`
	// To is the new version.
	To string `json:"to"`
	// Phase says how far it has come.
	Phase UpgradePhase `json:"phase"`
	// JobName is the Job of the phase Migrate.
	// +optional
	JobName string `json:"jobName,omitempty"`
	// StartedAt is when it began.
	StartedAt metav1.Time `json:"startedAt"`
}

// DatabaseLoginsStatus says which roles services log in to PostgreSQL as.
type DatabaseLoginsStatus struct {
	// SecretName is the Secret that has them.
	SecretName string `json:"secretName"`
	// Users are the names of the roles.
	// +optional
	Users []string `json:"users,omitempty"`
	// Since is the oldest version of chatserver that uses them.
	Since string `json:"since"`
	// FormerUsers are the roles before.
	// +optional
	FormerUsers []string `json:"formerUsers,omitempty"`
	// FormerUnused reports that no pod has the former ones.
	// +optional
	FormerUnused bool `json:"formerUnused,omitempty"`
	// RotationToken is the last one that was carried out.
	// +optional
	RotationToken string `json:"rotationToken,omitempty"`
}

// AdminTLSStatus is about TLS between the operator and the admin interface.
type AdminTLSStatus struct {
	// Since is the oldest version of chatserver that is known to serve the admin interface over TLS. Empty: none is, and the
	// next version's migration may report it.
	// +optional
	Since string `json:"since,omitempty"`
	// InUse reports that the operator calls the server over TLS, and in no other way.
	// +optional
	InUse bool `json:"inUse,omitempty"`
}

// ChatServerStatus is how a server is.
type ChatServerStatus struct {
	// ObservedGeneration is the generation of the spec that the status is about.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Version that serves.
	// +optional
	Version string `json:"version,omitempty"`
	// PreviousVersion is what served before Version: where a rollback goes.
	// +optional
	PreviousVersion string `json:"previousVersion,omitempty"`
	// URL is where clients find it.
	// +optional
	URL string `json:"url,omitempty"`
	// Schema of the database.
	// +optional
	Schema *SchemaStatus `json:"schema,omitempty"`
	// API is how the service of requests runs.
	// +optional
	API ComponentStatus `json:"api,omitempty"`
	// Events is how the service of event queues runs.
	// +optional
	Events ComponentStatus `json:"events,omitempty"`
	// Webhook is how the service of incoming webhooks runs.
	// +optional
	Webhook ComponentStatus `json:"webhook,omitempty"`
	// Upgrade is there while a new version is on its way in.
	// +optional
	Upgrade *UpgradeStatus `json:"upgrade,omitempty"`
	// AdminToken is the operator's own token for the server.
	// +optional
	AdminToken CredentialsStatus `json:"adminToken,omitempty"`
	// AdminTLS is about TLS between the operator and the server. Left out: the server's pods were made before there was any.
	// +optional
	AdminTLS *AdminTLSStatus `json:"adminTLS,omitempty"`
	// DatabaseLogins are those that services have. Left out: they log in as the database's owner.
	// +optional
	DatabaseLogins *DatabaseLoginsStatus `json:"databaseLogins,omitempty"`
	// Organizations that refer to it.
	// +optional
	Organizations int32 `json:"organizations,omitempty"`
	// Conditions tell how it is.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}
