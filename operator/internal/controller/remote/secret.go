package remote

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"chatserver.dev/operator/api/v1alpha1"
)

// +kubebuilder:rbac:groups="",resources=secrets,verbs=get;list;watch;create;update;delete

// Annotations of Secrets, and a key that programs don't read.
const (
	// annotationRevision changes with each write of the operator, which distinguishes them from writes of others.
	annotationRevision = v1alpha1.Group + "/revision"
	// annotationLabels has the names of labels from the spec, so that they can be removed later.
	annotationLabels = v1alpha1.Group + "/labels"
	// annotationNoGrace is "true" if the pending key replaces one that may have leaked, which must not stay valid.
	annotationNoGrace = v1alpha1.Group + "/pending-without-grace"

	dataKey     = "api-key"
	dataPending = "pending-api-key" // the next key, until the server has it
)

// keyStore stores keys in Secrets.
type keyStore struct {
	client  client.Client // must read Secrets from the API server
	events  events.EventRecorder
	clock   clock.PassiveClock
	reverts *reverts
}

// secret is the Secret of a holder.
type secret struct {
	holder

	there   *corev1.Secret // nil: there is none
	writes  *writes
	key     string    // the key that programs read; empty: none
	pending string    // the next key; empty: none
	noGrace bool      // the current key ends as soon as the server has the pending one
	issued  time.Time // of the key
	token   string    // the rotation token that the key was issued for
}

// read returns the Secret of a holder. If a Secret of that name exists and wasn't written for the holder, or others change it again
// and again, the error is a [*blocked].
func (k keyStore) read(ctx context.Context, h holder) (*secret, error) {
	s, name := &secret{holder: h, writes: k.reverts.of(h.object, h.wanted.SecretName)}, types.NamespacedName{Namespace: h.object.GetNamespace(), Name: h.wanted.SecretName}
	there := &corev1.Secret{}
	err := k.client.Get(ctx, name, there)
	switch {
	case client.IgnoreNotFound(err) != nil:
		return nil, fmt.Errorf("read Secret %s: %w", name, err)
	case err == nil && (!isOurs(there, h.name) || there.Type != h.kind):
		return nil, notOurs(there, h.name)
	}
	if contested := s.writes.contested(h.wanted.SecretName, k.clock.Now()); contested != nil || err != nil {
		return s, contested
	}
	s.there, s.key, s.pending = there, keyIn(there.Data, dataKey), keyIn(there.Data, dataPending)
	s.noGrace = there.Annotations[annotationNoGrace] == "true"
	s.token = there.Annotations[v1alpha1.AnnotationRotationToken]
	if s.issued, err = time.Parse(time.RFC3339, there.Annotations[v1alpha1.AnnotationIssuedAt]); err != nil {
		s.issued = there.CreationTimestamp.Time // the annotation was changed; the age is the best estimate
	}
	return s, nil
}

func isOurs(there *corev1.Secret, name string) bool {
	return there.Labels[v1alpha1.LabelManagedBy] == v1alpha1.Manager && there.Annotations[v1alpha1.AnnotationCredentialsOf] == name
}

// notOurs returns the error for a Secret that belongs to another holder, or wasn't written by the operator.
func notOurs(there *corev1.Secret, name string) *blocked {
	b := &blocked{
		mode: stalled, condition: v1alpha1.ConditionCredentialsReady, reason: v1alpha1.ReasonSecretNotOurs,
		message: fmt.Sprintf("Secret %s exists and wasn't written for %s: delete it, or create the object again with another secretName", there.Name, name),
	}
	if other := there.Annotations[v1alpha1.AnnotationCredentialsOf]; other != name && isOurs(there, other) {
		b.message = fmt.Sprintf("Secret %s has the key of %s: create the object again with another secretName, or delete the Secret if that is gone", there.Name, other)
	}
	return b
}

// content returns the data that programs read.
func (s *secret) content() map[string][]byte {
	if s.there == nil {
		return nil
	}
	content := maps.Clone(s.there.Data)
	delete(content, dataPending)
	return content
}

// write creates or updates the Secret, if it differs.
func (k keyStore) write(ctx context.Context, s *secret, content map[string][]byte) error {
	wanted := s.render(content)
	if err := controllerutil.SetOwnerReference(s.object, wanted, k.client.Scheme(), controllerutil.WithBlockOwnerDeletion(false)); err != nil {
		return fmt.Errorf("own Secret %s: %w", wanted.Name, err)
	}
	if s.there != nil && equality.Semantic.DeepEqual(s.there, wanted) {
		return nil
	}
	revision, _ := strconv.ParseInt(wanted.Annotations[annotationRevision], 10, 64) // missing or invalid: 0
	wanted.Annotations[annotationRevision] = strconv.FormatInt(revision+1, 10)
	var err error
	if s.there == nil {
		err = k.client.Create(ctx, wanted)
	} else {
		err = k.client.Update(ctx, wanted) // fails on a conflict
	}
	if err != nil {
		return fmt.Errorf("write Secret %s/%s: %w", wanted.Namespace, wanted.Name, err)
	}
	s.writes.add(s.there, wanted, k.clock.Now())
	s.there = wanted
	return nil
}

// render returns the desired Secret. It keeps labels and annotations of others.
func (s *secret) render(content map[string][]byte) *corev1.Secret {
	wanted := &corev1.Secret{}
	if s.there != nil {
		wanted = s.there.DeepCopy()
	}
	wanted.Namespace, wanted.Name, wanted.Type = s.object.GetNamespace(), s.wanted.SecretName, s.kind
	wanted.Data = map[string][]byte{}
	maps.Copy(wanted.Data, content)
	if s.pending != "" {
		wanted.Data[dataPending] = []byte(s.pending)
	}
	if wanted.Labels == nil {
		wanted.Labels = map[string]string{}
	}
	if wanted.Annotations == nil {
		wanted.Annotations = map[string]string{}
	}
	for name := range strings.SplitSeq(wanted.Annotations[annotationLabels], ",") {
		delete(wanted.Labels, name)
	}
	maps.Copy(wanted.Labels, s.wanted.Labels)
	wanted.Labels[v1alpha1.LabelManagedBy], wanted.Labels[v1alpha1.LabelPartOf] = v1alpha1.Manager, v1alpha1.Product
	annotate(wanted.Annotations, v1alpha1.AnnotationCredentialsOf, s.name)
	annotate(wanted.Annotations, v1alpha1.AnnotationCredentialsAt, client.ObjectKeyFromObject(s.server).String())
	annotate(wanted.Annotations, v1alpha1.AnnotationRotationToken, s.token)
	noGrace := ""
	if s.noGrace {
		noGrace = "true"
	}
	annotate(wanted.Annotations, annotationNoGrace, noGrace)
	annotate(wanted.Annotations, annotationLabels, strings.Join(slices.Sorted(maps.Keys(s.wanted.Labels)), ","))
	if s.key != "" {
		annotate(wanted.Annotations, v1alpha1.AnnotationIssuedAt, s.issued.Format(time.RFC3339))
	}
	wanted.OwnerReferences = slices.DeleteFunc(wanted.OwnerReferences, s.isFormer)
	return wanted
}

// isFormer reports whether a reference is to an earlier object of the same name.
func (s *secret) isFormer(reference metav1.OwnerReference) bool {
	kind, _, _ := strings.Cut(s.name, "/")
	return reference.Kind == kind && reference.Name == s.object.GetName() && reference.UID != s.object.GetUID()
}

func annotate(annotations map[string]string, name, value string) {
	if value == "" {
		delete(annotations, name)
		return
	}
	annotations[name] = value
}

// leave removes the owner reference from an object's Secrets, so that they aren't deleted with it.
func (k keyStore) leave(ctx context.Context, object Object, names []string) error {
	for _, name := range names {
		there := &corev1.Secret{}
		err := k.client.Get(ctx, types.NamespacedName{Namespace: object.GetNamespace(), Name: name}, there)
		if apierrors.IsNotFound(err) {
			continue
		}
		if err != nil {
			return fmt.Errorf("read Secret %s: %w", name, err)
		}
		before := len(there.OwnerReferences)
		there.OwnerReferences = slices.DeleteFunc(there.OwnerReferences, func(r metav1.OwnerReference) bool { return r.UID == object.GetUID() })
		if len(there.OwnerReferences) == before {
			continue
		}
		if err := k.client.Update(ctx, there); err != nil {
			return fmt.Errorf("release Secret %s: %w", name, err)
		}
	}
	return nil
}

// drop deletes the Secret of an account whose key was removed from the spec.
func (k keyStore) drop(ctx context.Context, object Object, name, holder string) error {
	there := &corev1.Secret{}
	err := k.client.Get(ctx, types.NamespacedName{Namespace: object.GetNamespace(), Name: name}, there)
	if err == nil && isOurs(there, holder) {
		err = k.client.Delete(ctx, there, client.Preconditions{UID: &there.UID})
	}
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("delete Secret %s: %w", name, err)
	}
	return nil
}
