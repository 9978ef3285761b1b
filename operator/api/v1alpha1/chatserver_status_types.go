package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// ComponentStatus is the observed state of one of the services.
type ComponentStatus struct {
	// Image that is rolled out.
	// +optional
	Image string `json:"image,omitempty"`
	// Replicas is the number of pods.
	Replicas int32 `json:"replicas"`
	// ReadyReplicas is the number of ready pods.
	ReadyReplicas int32 `json:"readyReplicas"`
	// Selector of its pods.
	// +optional
	Selector string `json:"selector,omitempty"`
}

// SchemaStatus describes the schema of the database.
type SchemaStatus struct {
	// Version of the schema.
	Version int64 `json:"version"`
	// MinServerVersion is the oldest version of chatserver that works with it: a rollback can't go below it.
	// +optional
	MinServerVersion string `json:"minServerVersion,omitempty"`
	// ServerVersion is the version of chatserver whose migration ran last.
	// +optional
	ServerVersion string `json:"serverVersion,omitempty"`
	// Migration is a hash of that version, its image, the database and the logins that the migration created. A migration
	// runs only if the hash of the spec differs.
	// +optional
	Migration string `json:"migration,omitempty"`
}

// UpgradePhase is the phase of an upgrade.
// +kubebuilder:validation:Enum=Migrate;Rollout
type UpgradePhase string

// Upgrade phases.
const (
	PhaseMigrate UpgradePhase = "Migrate" // a Job checks configuration and database, then extends the schema
	PhaseRollout UpgradePhase = "Rollout" // pods are replaced
)

// UpgradeStatus describes an upgrade in progress.
type UpgradeStatus struct {
	// From is the previous version; empty for the first installation.
	// +optional
	From string `json:"from,omitempty"`
	// To is the new version.
	To string `json:"to"`
	// Phase of the upgrade.
	Phase UpgradePhase `json:"phase"`
	// JobName is the Job of the phase Migrate.
	// +optional
	JobName string `json:"jobName,omitempty"`
	// StartedAt is when it began.
	StartedAt metav1.Time `json:"startedAt"`
}

// DatabaseLoginsStatus describes the PostgreSQL roles of the services.
type DatabaseLoginsStatus struct {
	// SecretName is the Secret with the roles' names and passwords.
	SecretName string `json:"secretName"`
	// Users are the names of the roles.
	// +optional
	// +listType=atomic
	Users []string `json:"users,omitempty"`
	// FormerUsers are the previous roles.
	// +optional
	// +listType=atomic
	FormerUsers []string `json:"formerUsers,omitempty"`
	// FormerUnused is true if no pod uses the previous roles.
	// +optional
	FormerUnused bool `json:"formerUnused,omitempty"`
	// RotationToken is the value of rotationToken that was applied last.
	// +optional
	RotationToken string `json:"rotationToken,omitempty"`
}

// ChatServerStatus is the observed state of a server.
type ChatServerStatus struct {
	// ObservedGeneration is the generation of the spec that the status describes.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Version that is serving.
	// +optional
	Version string `json:"version,omitempty"`
	// PreviousVersion is the version before Version, the target of a rollback.
	// +optional
	PreviousVersion string `json:"previousVersion,omitempty"`
	// URL for clients.
	// +optional
	URL string `json:"url,omitempty"`
	// Schema of the database.
	// +optional
	Schema *SchemaStatus `json:"schema,omitempty"`
	// API is the state of the service for requests.
	// +optional
	API ComponentStatus `json:"api,omitempty"`
	// Events is the state of the service for event queues.
	// +optional
	Events ComponentStatus `json:"events,omitempty"`
	// Webhook is the state of the service for incoming webhooks.
	// +optional
	Webhook ComponentStatus `json:"webhook,omitempty"`
	// Upgrade is set while an upgrade is in progress.
	// +optional
	Upgrade *UpgradeStatus `json:"upgrade,omitempty"`
	// AdminToken is the operator's own token for the server.
	// +optional
	AdminToken CredentialsStatus `json:"adminToken,omitempty"`
	// DatabaseLogins are the roles that services use. Unset before the first migration.
	// +optional
	DatabaseLogins *DatabaseLoginsStatus `json:"databaseLogins,omitempty"`
	// Organizations is the number of Organizations that refer to the server and are allowed to.
	// +optional
	Organizations int32 `json:"organizations,omitempty"`
	// Conditions describe the state of the server.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}
