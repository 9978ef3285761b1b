package v1alpha1

import "k8s.io/apimachinery/pkg/api/resource"

// DatabaseMode determines who manages PostgreSQL.
// +kubebuilder:validation:Enum=External;CloudNativePG;Ephemeral
type DatabaseMode string

// Database modes.
const (
	DatabaseExternal      DatabaseMode = "External"      // not managed by the operator
	DatabaseCloudNativePG DatabaseMode = "CloudNativePG" // managed by the CloudNativePG operator
	DatabaseEphemeral     DatabaseMode = "Ephemeral"     // one pod with a volume, for trials
)

// TLSMode determines how the connection is secured and verified; the names are those of libpq.
// +kubebuilder:validation:Enum=disable;require;verify-ca;verify-full
type TLSMode string

// TLS modes.
const (
	TLSDisable    TLSMode = "disable"
	TLSRequire    TLSMode = "require"
	TLSVerifyCA   TLSMode = "verify-ca"
	TLSVerifyFull TLSMode = "verify-full"
)

// ExternalDatabase is a PostgreSQL that the operator doesn't manage.
// +kubebuilder:validation:XValidation:rule="has(self.secretRef.key) != has(self.secretRef.keys)",message="secretRef has either key, for a whole connection string, or keys, for host, user and password one by one"
type ExternalDatabase struct {
	// SecretRef is the Secret with the connection string.
	SecretRef DatabaseSecret `json:"secretRef"`
	// ReplicaSecretRef is the Secret key with the connection string of streaming replicas, without a user: pods log in
	// there as they do on the primary. With it, api reads messages and long lists from the replicas. Users never see
	// outdated data.
	// +optional
	ReplicaSecretRef *SecretKey `json:"replicaSecretRef,omitempty"`
	// TLSMode for connection strings without sslmode.
	// +optional
	// +kubebuilder:default=verify-full
	TLSMode TLSMode `json:"tlsMode,omitempty"`
	// CASecretRef is the Secret key with CA certificates to verify the server's certificate with.
	// Default: those of the system.
	// +optional
	CASecretRef *SecretKey `json:"caSecretRef,omitempty"`
}

// DatabaseSecret is a Secret with a connection string, or with its parts.
type DatabaseSecret struct {
	// Name of the Secret.
	Name ObjectName `json:"name"`
	// Key with a connection string, postgres://….
	// +optional
	Key KeyName `json:"key,omitempty"`
	// Keys with the parts of a connection string.
	// +optional
	Keys *DatabaseSecretKeys `json:"keys,omitempty"`
}

// DatabaseSecretKeys are the keys of a Secret with the parts of a connection string. The defaults are the keys that
// CloudNativePG writes.
type DatabaseSecretKeys struct {
	// Host is the key with the host name or address of the server.
	// +kubebuilder:default=host
	Host KeyName `json:"host,omitempty"`
	// Port is the key with the TCP port.
	// +kubebuilder:default=port
	Port KeyName `json:"port,omitempty"`
	// Database is the key with the name of the database.
	// +kubebuilder:default=dbname
	Database KeyName `json:"database,omitempty"`
	// User is the key with the name of the database's owner.
	// +kubebuilder:default=username
	User KeyName `json:"user,omitempty"`
	// Password is the key with the owner's password.
	// +kubebuilder:default=password
	Password KeyName `json:"password,omitempty"`
}

// CloudNativePG is a database that the CloudNativePG operator manages.
type CloudNativePG struct {
	// Instances of PostgreSQL.
	// +optional
	// +kubebuilder:default=3
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=9
	Instances int32 `json:"instances,omitempty"`
	// StorageSize of each instance. It can grow.
	// +optional
	// +kubebuilder:default="20Gi"
	// +kubebuilder:validation:XValidation:rule="!quantity(string(self)).isLessThan(quantity('0'))",message="storageSize isn't negative: 20Gi"
	// +kubebuilder:validation:XValidation:rule="quantity(string(self)).compareTo(quantity(string(oldSelf))) >= 0",message="storageSize can grow, but not shrink: volumes can't"
	StorageSize resource.Quantity `json:"storageSize,omitempty"`
	// StorageClass of the volumes; empty: the cluster's default. It can't be changed.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	StorageClass string `json:"storageClass,omitempty"`
	// ImageName of PostgreSQL; empty: CloudNativePG's default.
	// +optional
	ImageName ImageName `json:"imageName,omitempty"`
}

// Trial is a small server that the operator runs itself, not for production.
type Trial struct {
	// Image to run; empty: the operator's default.
	// +optional
	Image ImageName `json:"image,omitempty"`
	// StorageSize of the volume. It can't be changed.
	// +optional
	// +kubebuilder:default="1Gi"
	// +kubebuilder:validation:XValidation:rule="!quantity(string(self)).isLessThan(quantity('0'))",message="storageSize isn't negative: 1Gi"
	StorageSize resource.Quantity `json:"storageSize,omitempty"`
	// StorageClass of the volume; empty: the cluster's default. It can't be changed.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	StorageClass string `json:"storageClass,omitempty"`
}

// Database configures PostgreSQL.
// +kubebuilder:validation:XValidation:rule="(self.mode == 'External') == has(self.external)",message="external belongs to mode: External: set both or leave external out"
// +kubebuilder:validation:XValidation:rule="has(self.cloudNativePG) ? self.mode == 'CloudNativePG' : true",message="cloudNativePG belongs to mode: CloudNativePG: leave it out or change the mode"
// +kubebuilder:validation:XValidation:rule="has(self.ephemeral) ? self.mode == 'Ephemeral' : true",message="ephemeral belongs to mode: Ephemeral: leave it out or change the mode"
// +kubebuilder:validation:XValidation:rule="!has(self.logins) || !has(self.logins.secretName) || self.mode == 'External'",message="logins.secretName belongs to mode: External: the operator creates the logins of its own databases"
// +kubebuilder:validation:XValidation:rule="self.mode != 'Ephemeral' || oldSelf.mode != 'Ephemeral' || (has(self.ephemeral) && has(self.ephemeral.storageSize) ? string(self.ephemeral.storageSize) : '1Gi') == (has(oldSelf.ephemeral) && has(oldSelf.ephemeral.storageSize) ? string(oldSelf.ephemeral.storageSize) : '1Gi')",message="ephemeral.storageSize can't be changed: the volume claims of a StatefulSet can't; enlarge the PersistentVolumeClaim if its storage class allows that, or create another ChatServer"
// +kubebuilder:validation:XValidation:rule=`self.mode != 'Ephemeral' || oldSelf.mode != 'Ephemeral' || (has(self.ephemeral) && has(self.ephemeral.storageClass) ? self.ephemeral.storageClass : "") == (has(oldSelf.ephemeral) && has(oldSelf.ephemeral.storageClass) ? oldSelf.ephemeral.storageClass : "")`,message="ephemeral.storageClass can't be changed: the data would stay behind in their volume; create another ChatServer"
// +kubebuilder:validation:XValidation:rule=`self.mode != 'CloudNativePG' || oldSelf.mode != 'CloudNativePG' || (has(self.cloudNativePG) && has(self.cloudNativePG.storageClass) ? self.cloudNativePG.storageClass : "") == (has(oldSelf.cloudNativePG) && has(oldSelf.cloudNativePG.storageClass) ? oldSelf.cloudNativePG.storageClass : "")`,message="cloudNativePG.storageClass can't be changed: the data would stay behind in their volumes; create another ChatServer"
type Database struct {
	// Mode determines who manages PostgreSQL. External: somebody else. CloudNativePG: its operator, by a Cluster. Ephemeral:
	// the operator runs one pod with a volume, for trials.
	Mode DatabaseMode `json:"mode"`
	// External is a PostgreSQL that the operator doesn't manage.
	// +optional
	External *ExternalDatabase `json:"external,omitempty"`
	// CloudNativePG is a PostgreSQL that the CloudNativePG operator manages.
	// +optional
	CloudNativePG *CloudNativePG `json:"cloudNativePG,omitempty"`
	// Ephemeral is a PostgreSQL of one pod, for trials.
	// +optional
	Ephemeral *Trial `json:"ephemeral,omitempty"`
	// Logins are the PostgreSQL roles of the services. Default: the operator creates them.
	// +optional
	Logins *DatabaseLogins `json:"logins,omitempty"`
}

// DatabaseLogins are the two PostgreSQL roles of the services. They own nothing; only the migration logs in as the
// database's owner.
// +kubebuilder:validation:XValidation:rule="!(has(self.secretName) && has(self.rotationToken))",message="rotationToken replaces the operator's own logins: to replace those of secretName, name another Secret there"
type DatabaseLogins struct {
	// SecretName is a Secret with logins of your own: service-user, service-password, everywhere-user, everywhere-password.
	// +optional
	SecretName ObjectName `json:"secretName,omitempty"`
	// RotationToken replaces the operator's logins without downtime when it changes to another value, which has no meaning. Removing it changes nothing.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	RotationToken string `json:"rotationToken,omitempty"`
}
