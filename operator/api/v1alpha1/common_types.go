package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// AnnotationPaused stops the reconciliation of an organization or of what is in one while it is "true".
// A ChatServer has a field for it.
const AnnotationPaused = Group + "/paused"

// AnnotationRetry starts a failed migration or rollout again when its value changes.
const AnnotationRetry = Group + "/retry"

// Finalizer is kept on resources that stand for something inside a server.
const Finalizer = Group + "/inside-server"

// FinalizerServer is kept on a ChatServer while its deletionPolicy is Delete.
const FinalizerServer = Group + "/server"

// SecretKey names a key of a Secret in the namespace of the object that refers to it.
type SecretKey struct {
	// Name of the Secret.
	// +kubebuilder:validation:MinLength=1
	Name string `json:"name"`
	// Key in the Secret.
	// +kubebuilder:validation:MinLength=1
	Key string `json:"key"`
}

// Reference names another object, in the same namespace unless one is given.
type Reference struct {
	// Name of the object.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
	// Namespace of the object; empty: that of the referrer. The object's allowedNamespaces must let it in.
	// +optional
	// +kubebuilder:default=""
	// +kubebuilder:validation:MaxLength=63
	Namespace string `json:"namespace,omitempty"`
}

// NamespacesFrom says where referrers may be.
// +kubebuilder:validation:Enum=Same;All;Selector
type NamespacesFrom string

// Where referrers may be.
const (
	FromSame     NamespacesFrom = "Same"     // in the same namespace
	FromAll      NamespacesFrom = "All"      // everywhere
	FromSelector NamespacesFrom = "Selector" // in namespaces with certain labels, and in the same one
)

// AllowedNamespaces says from which namespaces others may refer to an object.
// +kubebuilder:validation:XValidation:rule="(self.from == 'Selector') == has(self.selector)",message="selector belongs to from: Selector, and to nothing else: set both or leave selector out"
type AllowedNamespaces struct {
	// From is Same, All or Selector.
	// +kubebuilder:default=Same
	From NamespacesFrom `json:"from,omitempty"`
	// Selector picks namespaces by their labels, in addition to the object's own.
	// +optional
	Selector *metav1.LabelSelector `json:"selector,omitempty"`
}

// Credentials says where an API key goes and when it is replaced.
// +kubebuilder:validation:XValidation:rule="self.secretName == oldSelf.secretName",message="secretName can't be changed: programs read that Secret; delete the object and make another one"
// +kubebuilder:validation:XValidation:rule="!has(self.rotateAfter) || !self.rotateAfter.matches('^([0-9]{1,5}(h|m|s|ms)){1,4}$') || !has(self.gracePeriod) || !self.gracePeriod.matches('^([0-9]{1,5}(h|m|s|ms)){1,4}$') || duration(self.gracePeriod) < duration(self.rotateAfter)",message="gracePeriod must be shorter than rotateAfter: otherwise a key would still be in its grace when the next one comes"
// +kubebuilder:validation:XValidation:rule="!has(self.rotateAfter) || !self.rotateAfter.matches('^([0-9]{1,5}(h|m|s|ms)){1,4}$') || duration(self.rotateAfter) >= duration('1h')",message="rotateAfter must be at least 1h"
// +kubebuilder:validation:XValidation:rule="!has(self.gracePeriod) || !self.gracePeriod.matches('^([0-9]{1,5}(h|m|s|ms)){1,4}$') || (duration(self.gracePeriod) >= duration('0s') && duration(self.gracePeriod) <= duration('720h'))",message="gracePeriod must be between 0s and 720h"
type Credentials struct {
	// SecretName is the Secret that the operator writes beside this object. One that exists and that
	// the operator hasn't written is never overwritten.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$`
	SecretName string `json:"secretName"`
	// Labels of the Secret, beside the operator's own.
	// +optional
	// +kubebuilder:validation:MaxProperties=16
	Labels map[string]string `json:"labels,omitempty"`
	// RotationToken replaces the key at once when it is changed. Its value means nothing.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	RotationToken string `json:"rotationToken,omitempty"`
	// RotateAfter replaces the key when it is as old as that.
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]{1,5}(h|m|s|ms)){1,4}$')",message="a duration is written in hours, minutes and seconds: 2160h, 1h30m, 45s; there are no days: 90 days are 2160h"
	RotateAfter *metav1.Duration `json:"rotateAfter,omitempty"`
	// GracePeriod is how long the key before works on.
	// +optional
	// +kubebuilder:default="24h"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]{1,5}(h|m|s|ms)){1,4}$')",message="a duration is written in hours, minutes and seconds: 2160h, 1h30m, 45s; there are no days: 90 days are 2160h"
	GracePeriod *metav1.Duration `json:"gracePeriod,omitempty"`
}

// CredentialsStatus says which key is in force.
type CredentialsStatus struct {
	// SecretRef names the Secret that has the key.
	// +optional
	SecretRef *corev1.LocalObjectReference `json:"secretRef,omitempty"`
	// IssuedAt is when the key was issued.
	// +optional
	IssuedAt *metav1.Time `json:"issuedAt,omitempty"`
	// PreviousEnds is until when the key before works.
	// +optional
	PreviousEnds *metav1.Time `json:"previousEnds,omitempty"`
	// RotationToken is the one of the key.
	// +optional
	RotationToken string `json:"rotationToken,omitempty"`
}

// GuestStatus is what all objects inside a server report.
type GuestStatus struct {
	// ObservedGeneration is the generation of the spec that the status is about.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// ID is what the server calls it.
	// +optional
	ID string `json:"id,omitempty"`
	// LastSyncTime is when something was last made or reverted in the server. It is compared every few minutes;
	// that it was found right is not written down, so that nothing is written while nothing happens.
	// +optional
	LastSyncTime *metav1.Time `json:"lastSyncTime,omitempty"`
	// Conditions tell how it is: Ready, Accepted, Synced, CredentialsReady, and while they hold
	// Reconciling, Stalled and Paused.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}
