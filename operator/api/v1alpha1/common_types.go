package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// AnnotationPaused stops the reconciliation of an organization, or of an object in one, while it is "true". A
// ChatServer has the field spec.state instead.
const AnnotationPaused = Group + "/paused"

// AnnotationRetry runs the migration again when its value changes, whether it has failed or succeeded.
const AnnotationRetry = Group + "/retry"

// Finalizer is on resources that represent something inside a server.
const Finalizer = Group + "/inside-server"

// FinalizerServer is on a ChatServer while its deletionPolicy is Delete.
const FinalizerServer = Group + "/server"

// ObjectName is the name of a Secret, or of another object of Kubernetes.
// +kubebuilder:validation:MinLength=1
// +kubebuilder:validation:MaxLength=253
// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$')`,message="a name has lower-case letters, digits, dots and hyphens, and begins and ends with a letter or digit"
type ObjectName = string

// KeyName is the name of a key in a Secret.
// +kubebuilder:validation:MinLength=1
// +kubebuilder:validation:MaxLength=253
// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[-._a-zA-Z0-9]*$')`,message="a key of a Secret has letters, digits, dots, hyphens and underscores"
type KeyName = string

// Network is a network of IPv4 or IPv6 addresses: 10.1.0.0/16.
// +kubebuilder:validation:MaxLength=43
// +kubebuilder:validation:XValidation:rule="isCIDR(self) && cidr(self) == cidr(self).masked()",message="a network is written as 10.1.0.0/16 or fd00:1::/32, without bits after the prefix"
type Network = string

// +structType=atomic

// SecretKey names a key of a Secret in the namespace of the object that refers to it.
type SecretKey struct {
	// Name of the Secret.
	Name ObjectName `json:"name"`
	// Key in the Secret.
	Key KeyName `json:"key"`
}

// Reference names another object, in the same namespace unless Namespace is set.
type Reference struct {
	// Name of the object.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
	// Namespace of the object; empty: the same namespace. The object's allowedNamespaces must include the namespace of
	// the reference.
	// +optional
	// +kubebuilder:default=""
	// +kubebuilder:validation:MaxLength=63
	Namespace string `json:"namespace,omitempty"`
}

// NamespacesFrom determines which namespaces are allowed.
// +kubebuilder:validation:Enum=Same;All;Selector
type NamespacesFrom string

// Ways to select namespaces.
const (
	FromSame     NamespacesFrom = "Same"     // in the same namespace
	FromAll      NamespacesFrom = "All"      // everywhere
	FromSelector NamespacesFrom = "Selector" // in namespaces with certain labels, and in the same one
)

// AllowedNamespaces selects the namespaces whose objects may refer to an object.
// +kubebuilder:validation:XValidation:rule="(self.from == 'Selector') == has(self.selector)",message="selector requires from: Selector, and from: Selector requires selector: set both, or leave selector out"
type AllowedNamespaces struct {
	// From is Same, All or Selector.
	// +kubebuilder:default=Same
	From NamespacesFrom `json:"from,omitempty"`
	// Selector selects namespaces by label, in addition to the object's own.
	// +structType=atomic
	// +optional
	Selector *LabelSelector `json:"selector,omitempty"`
}

// Credentials configures the Secret for an API key, and its rotation.
// +kubebuilder:validation:XValidation:rule="self.secretName == oldSelf.secretName",message="secretName can't be changed: programs read that Secret; delete the object and create another one"
// +kubebuilder:validation:XValidation:rule="!has(self.rotateAfter) || !self.rotateAfter.matches('^([0-9]{1,5}(h|m|s|ms)){1,4}$') || has(self.gracePeriod) && !self.gracePeriod.matches('^([0-9]{1,5}(h|m|s|ms)){1,4}$') || duration(has(self.gracePeriod) ? self.gracePeriod : '24h') < duration(self.rotateAfter)",message="gracePeriod must be shorter than rotateAfter: otherwise a key would still be in its grace period when the next one is issued"
// +kubebuilder:validation:XValidation:rule="!has(self.rotateAfter) || !self.rotateAfter.matches('^([0-9]{1,5}(h|m|s|ms)){1,4}$') || duration(self.rotateAfter) >= duration('1h')",message="rotateAfter must be at least 1h"
// +kubebuilder:validation:XValidation:rule="!has(self.gracePeriod) || !self.gracePeriod.matches('^([0-9]{1,5}(h|m|s|ms)){1,4}$') || (duration(self.gracePeriod) >= duration('0s') && duration(self.gracePeriod) <= duration('720h'))",message="gracePeriod must be between 0s and 720h"
type Credentials struct {
	// SecretName is the Secret that the operator writes, in the namespace of this object. An existing Secret that
	// the operator hasn't written is never overwritten.
	SecretName ObjectName `json:"secretName"`
	// Labels of the Secret, in addition to the operator's own.
	// +optional
	// +kubebuilder:validation:MaxProperties=16
	Labels map[string]string `json:"labels,omitempty"`
	// RotationToken replaces the key at once when it changes to another value, which has no meaning. Removing it changes nothing.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	RotationToken string `json:"rotationToken,omitempty"`
	// RotateAfter is the age at which the key is replaced, at least 1h. Default: it isn't replaced by age.
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]{1,5}(h|m|s|ms)){1,4}$')",message="a duration is written in hours, minutes and seconds: 2160h, 1h30m, 45s; there are no days: 90 days are 2160h"
	RotateAfter *metav1.Duration `json:"rotateAfter,omitempty"`
	// GracePeriod is how long the previous key remains valid, at most 720h. Default: 24h.
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]{1,5}(h|m|s|ms)){1,4}$')",message="a duration is written in hours, minutes and seconds: 2160h, 1h30m, 45s; there are no days: 90 days are 2160h"
	GracePeriod *metav1.Duration `json:"gracePeriod,omitempty"`
}

// CredentialsStatus describes the current key.
type CredentialsStatus struct {
	// SecretRef names the Secret with the key.
	// +optional
	SecretRef *corev1.LocalObjectReference `json:"secretRef,omitempty"`
	// IssuedAt is when the key was issued.
	// +optional
	IssuedAt *metav1.Time `json:"issuedAt,omitempty"`
	// PreviousEnds is the time at which the previous key expires.
	// +optional
	PreviousEnds *metav1.Time `json:"previousEnds,omitempty"`
	// RotationToken is the value of rotationToken that the key was issued for.
	// +optional
	RotationToken string `json:"rotationToken,omitempty"`
}

// GuestStatus is the status that all objects inside a server have in common.
type GuestStatus struct {
	// ObservedGeneration is the generation of the spec that the status is about.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// ID of the object in the server.
	// +optional
	ID string `json:"id,omitempty"`
	// LastSyncTime is when the operator last created or reverted the object in the server. It compares the object every
	// ten minutes, but doesn't record comparisons without a difference.
	// +optional
	LastSyncTime *metav1.Time `json:"lastSyncTime,omitempty"`
	// Conditions of the types Ready, Accepted, Synced and, for objects with a key, CredentialsReady; and while they are
	// true, Reconciling, Stalled and Paused.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}
