package v1alpha1

import "k8s.io/apimachinery/pkg/api/resource"

// Files configures where uploaded files are kept.
// +kubebuilder:validation:XValidation:rule="has(self.s3) != has(self.folder)",message="files are either in s3, a bucket, or in folder, a volume: set one of them"
type Files struct {
	// S3 is a bucket of a server with the S3 API.
	// +optional
	S3 *S3 `json:"s3,omitempty"`
	// Folder is a volume.
	// +optional
	Folder *FilesFolder `json:"folder,omitempty"`
	// OrganizationQuota is the maximum size of all files of an organization together, unless its setting upload_quota says
	// otherwise, which is at most this for an Organization in another namespace. Default: no limit.
	// +optional
	// +kubebuilder:validation:XValidation:rule="quantity(string(self)).isGreaterThan(quantity('0'))",message="organizationQuota is more than 0; leave it out for no limit"
	OrganizationQuota *resource.Quantity `json:"organizationQuota,omitempty"`
	// TemporarySize is the size of the volume in each pod of api for files on their way into a bucket or an exported archive.
	// +optional
	// +kubebuilder:default="2Gi"
	// +kubebuilder:validation:XValidation:rule="quantity(string(self)).compareTo(quantity('64Mi')) >= 0",message="temporarySize is at least 64Mi: it has to have room for some of the largest files"
	TemporarySize *resource.Quantity `json:"temporarySize,omitempty"`
}

// S3 is a bucket of a server with the S3 API.
// +kubebuilder:validation:XValidation:rule="!(has(self.secretRef) && has(self.serviceAccountAnnotations))",message="secretRef is a key for the bucket, and serviceAccountAnnotations are for an identity in place of a key: keep one"
// +kubebuilder:validation:XValidation:rule="!has(self.caSecretRef) || self.endpoint.startsWith('https://')",message="caSecretRef is for TLS: begin endpoint with https://"
type S3 struct {
	// Endpoint is the address of the S3 server: https://s3.eu-west-1.amazonaws.com.
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^https?://([a-zA-Z0-9]([-a-zA-Z0-9.]*[a-zA-Z0-9])?|\[[0-9a-fA-F:]+\])(:[0-9]{1,5})?/?$')`,message="endpoint is https:// or http:// and a host, with a port unless it is the default one, and without a path: https://s3.eu-west-1.amazonaws.com"
	Endpoint string `json:"endpoint"`
	// Bucket is the name of the bucket, which must exist.
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[a-zA-Z0-9][-a-zA-Z0-9._]*$')`,message="bucket has letters, digits, dots, hyphens and underscores, and begins with a letter or digit"
	Bucket string `json:"bucket"`
	// Region of the bucket. Default: what the endpoint says.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[-a-zA-Z0-9]*$')`,message="region has letters, digits and hyphens: eu-west-1"
	Region string `json:"region,omitempty"`
	// PathStyle has the bucket's name in the path of requests, rather than in the host.
	// +optional
	PathStyle bool `json:"pathStyle,omitempty"`
	// SecretRef is the Secret with the key for the bucket, which must allow to get, put and delete objects. Default: the
	// identity that the cloud assigns to the pods of api.
	// +optional
	SecretRef *S3Secret `json:"secretRef,omitempty"`
	// ServiceAccountAnnotations are annotations of the ServiceAccount of api, by which a cloud assigns an identity to its pods:
	// eks.amazonaws.com/role-arn.
	// +optional
	// +kubebuilder:validation:MaxProperties=16
	ServiceAccountAnnotations map[string]string `json:"serviceAccountAnnotations,omitempty"`
	// CASecretRef is the Secret key with CA certificates to verify the server's certificate with.
	// Default: those of the system.
	// +optional
	CASecretRef *SecretKey `json:"caSecretRef,omitempty"`
}

// S3Secret is a Secret with a key for a bucket.
type S3Secret struct {
	// Name of the Secret.
	Name ObjectName `json:"name"`
	// AccessKey is the key of the Secret with the access key's id.
	// +optional
	// +kubebuilder:default=access-key
	AccessKey KeyName `json:"accessKey,omitempty"`
	// SecretKey is the key of the Secret with the secret access key.
	// +optional
	// +kubebuilder:default=secret-key
	SecretKey KeyName `json:"secretKey,omitempty"`
}

// FilesFolder is a volume for files.
type FilesFolder struct {
	// ClaimName is a PersistentVolumeClaim in the namespace of the ChatServer. Unless api has a single pod and MailIn isn't set, the
	// volume must allow ReadWriteMany.
	ClaimName ObjectName `json:"claimName"`
	// FSGroup is the group that the volume is made writable for; 0: it is left as it is, for clusters that assign a group to
	// each namespace.
	// +optional
	// +kubebuilder:default=65532
	// +kubebuilder:validation:Minimum=0
	FSGroup *int64 `json:"fsGroup,omitempty"`
}
