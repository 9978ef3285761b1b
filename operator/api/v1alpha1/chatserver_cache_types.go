package v1alpha1

// CacheMode determines who manages Redis.
// +kubebuilder:validation:Enum=External;Ephemeral
type CacheMode string

// Cache modes.
const (
	CacheExternal  CacheMode = "External"  // not managed by the operator
	CacheEphemeral CacheMode = "Ephemeral" // one pod with a volume, for trials
)

// RedisTopology is the kind of servers at the addresses of a Redis.
// +kubebuilder:validation:Enum=Single;Sentinel;Cluster
type RedisTopology string

// Redis topologies.
const (
	RedisSingle   RedisTopology = "Single"
	RedisSentinel RedisTopology = "Sentinel" // sentinels, which monitor the master
	RedisCluster  RedisTopology = "Cluster"  // nodes of a cluster
)

// ExternalCache is a Redis that the operator doesn't manage.
type ExternalCache struct {
	// SecretRef is the Secret key with the address: redis://… or rediss://…. Further addresses are parameters addr;
	// Sentinel needs master_name.
	SecretRef SecretKey `json:"secretRef"`
	// Topology is the kind of servers at the addresses.
	// +optional
	// +kubebuilder:default=Single
	Topology RedisTopology `json:"topology,omitempty"`
	// CASecretRef is the Secret key with CA certificates to verify the server's certificate with.
	// Default: those of the system.
	// +optional
	CASecretRef *SecretKey `json:"caSecretRef,omitempty"`
}

// Cache configures Redis.
// +kubebuilder:validation:XValidation:rule="(self.mode == 'External') == has(self.external)",message="external belongs to mode: External: set both or leave external out"
// +kubebuilder:validation:XValidation:rule="has(self.ephemeral) ? self.mode == 'Ephemeral' : true",message="ephemeral belongs to mode: Ephemeral: leave it out or change the mode"
// +kubebuilder:validation:XValidation:rule="self.mode != 'Ephemeral' || oldSelf.mode != 'Ephemeral' || (has(self.ephemeral) && has(self.ephemeral.storageSize) ? string(self.ephemeral.storageSize) : '1Gi') == (has(oldSelf.ephemeral) && has(oldSelf.ephemeral.storageSize) ? string(oldSelf.ephemeral.storageSize) : '1Gi')",message="ephemeral.storageSize can't be changed: the volume claims of a StatefulSet can't; enlarge the PersistentVolumeClaim if its storage class allows that, or create another ChatServer"
// +kubebuilder:validation:XValidation:rule=`self.mode != 'Ephemeral' || oldSelf.mode != 'Ephemeral' || (has(self.ephemeral) && has(self.ephemeral.storageClass) ? self.ephemeral.storageClass : "") == (has(oldSelf.ephemeral) && has(oldSelf.ephemeral.storageClass) ? oldSelf.ephemeral.storageClass : "")`,message="ephemeral.storageClass can't be changed: the data would stay behind in their volume; create another ChatServer"
type Cache struct {
	// Mode determines who manages Redis. External: somebody else. Ephemeral: the operator runs one pod with a volume, for
	// trials.
	Mode CacheMode `json:"mode"`
	// External is a Redis that the operator doesn't manage.
	// +optional
	External *ExternalCache `json:"external,omitempty"`
	// Ephemeral is a Redis of one pod, for trials.
	// +optional
	Ephemeral *Trial `json:"ephemeral,omitempty"`
}
