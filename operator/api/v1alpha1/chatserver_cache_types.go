package v1alpha1

// CacheMode says whose Redis it is.
// +kubebuilder:validation:Enum=External;Ephemeral
type CacheMode string

// Whose Redis it is.
const (
	CacheExternal  CacheMode = "External"  // somebody else keeps it
	CacheEphemeral CacheMode = "Ephemeral" // one pod with a volume, for trials
)

// RedisTopology says what answers at the addresses of a Redis.
// +kubebuilder:validation:Enum=Single;Sentinel;Cluster
type RedisTopology string

// What answers at the addresses of a Redis.
const (
	RedisSingle   RedisTopology = "Single"
	RedisSentinel RedisTopology = "Sentinel" // sentinels, which know who is the master
	RedisCluster  RedisTopology = "Cluster"  // nodes of a cluster
)

// ExternalCache is a Redis that somebody else keeps.
type ExternalCache struct {
	// SecretRef says where the address is: redis://… or rediss://…. Further addresses are parameters addr;
	// Sentinel needs master_name.
	SecretRef SecretKey `json:"secretRef"`
	// Topology says what answers there.
	// +optional
	// +kubebuilder:default=Single
	Topology RedisTopology `json:"topology,omitempty"`
	// CASecretRef has the certificates of authorities that the server's certificate is checked against.
	// Left out: those of the system.
	// +optional
	CASecretRef *SecretKey `json:"caSecretRef,omitempty"`
}

// Cache says where Redis is.
// +kubebuilder:validation:XValidation:rule="(self.mode == 'External') == has(self.external)",message="external belongs to mode: External: set both or leave external out"
// +kubebuilder:validation:XValidation:rule="has(self.ephemeral) ? self.mode == 'Ephemeral' : true",message="ephemeral belongs to mode: Ephemeral: leave it out or change the mode"
// +kubebuilder:validation:XValidation:rule="self.mode != 'Ephemeral' || oldSelf.mode != 'Ephemeral' || (has(self.ephemeral) && has(self.ephemeral.storageSize) ? string(self.ephemeral.storageSize) : '1Gi') == (has(oldSelf.ephemeral) && has(oldSelf.ephemeral.storageSize) ? string(oldSelf.ephemeral.storageSize) : '1Gi')",message="ephemeral.storageSize can't be changed: the volume claims of a StatefulSet can't; enlarge the PersistentVolumeClaim where its storage class allows that, or make another ChatServer"
// +kubebuilder:validation:XValidation:rule=`self.mode != 'Ephemeral' || oldSelf.mode != 'Ephemeral' || (has(self.ephemeral) && has(self.ephemeral.storageClass) ? self.ephemeral.storageClass : "") == (has(oldSelf.ephemeral) && has(oldSelf.ephemeral.storageClass) ? oldSelf.ephemeral.storageClass : "")`,message="ephemeral.storageClass can't be changed: the data would stay behind in their volume; make another ChatServer"
type Cache struct {
	// Mode says whose it is.
	Mode CacheMode `json:"mode"`
	// External is somebody else's.
	// +optional
	External *ExternalCache `json:"external,omitempty"`
	// Ephemeral is one pod, for trials.
	// +optional
	Ephemeral *Trial `json:"ephemeral,omitempty"`
}
