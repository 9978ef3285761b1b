package chatserver

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/apply"
	"chatserver.dev/operator/internal/inputs"
	"chatserver.dev/operator/internal/render"
	"chatserver.dev/operator/internal/secrets"
)

// Annotations of the Secret with admin tokens: the state of a rotation.
const (
	annotationChanged  = v1alpha1.Group + "/changed-at"
	annotationPromoted = v1alpha1.Group + "/promoted"
)

// secretsStep creates the operator's own Secrets once, and keeps their values. They have no owner reference, so that they
// outlive the server with its data.
func secretsStep(ctx context.Context, s *scope) error {
	if err := s.keepSecret(ctx, inputs.AdminSecret(s.server), "api", s.adminSecret); err != nil {
		return err
	}
	if s.server.Spec.Database.Mode == v1alpha1.DatabaseEphemeral {
		err := s.keepSecret(ctx, inputs.PostgresSecret(s.server), "postgres", func(secret *corev1.Secret) error {
			secret.Data = secrets.Postgres(secret.Name, secret.Data)
			return nil
		})
		if err != nil {
			return err
		}
	}
	if s.server.Spec.Cache.Mode == v1alpha1.CacheEphemeral {
		err := s.keepSecret(ctx, inputs.RedisSecret(s.server), "redis", func(secret *corev1.Secret) error {
			secret.Data = secrets.Redis(secret.Name, secret.Data)
			sum := sha256.Sum256(secret.Data[secrets.RedisConfigKey])
			s.inputs.TrialCache = hex.EncodeToString(sum[:])
			return nil
		})
		if err != nil {
			return err
		}
	}
	if push := s.server.Spec.WebPush; push != nil && push.SecretRef == nil {
		if err := s.keepSecret(ctx, inputs.WebPushSecret(s.server), "api", webPush); err != nil {
			return err
		}
	}
	if err := s.keepLogins(ctx); err != nil {
		return err
	}
	s.conditions.True(v1alpha1.ConditionSecretsReady, v1alpha1.ReasonSecretsReady, "the operator's own Secrets exist")
	return nil
}

// webPush fills the Secret with the key for notifications of browsers.
func webPush(secret *corev1.Secret) (err error) {
	secret.Data, err = secrets.WebPush(secret.Data)
	return err
}

// keepSecret reads a Secret, calls fill with it, and writes it if it has changed.
func (s *scope) keepSecret(ctx context.Context, name, component string, fill func(*corev1.Secret) error) error {
	secret, err := s.secrets.Get(ctx, name)
	switch {
	case err != nil:
		return err
	case secret == nil:
		if err := s.lost(ctx, name); err != nil {
			return err
		}
		secret = &corev1.Secret{ObjectMeta: metav1.ObjectMeta{
			Namespace: s.server.Namespace, Name: name, Labels: s.secretLabels(component), Annotations: map[string]string{},
		}}
	case !apply.Ours(secret, s.server):
		return terminal(v1alpha1.ConditionSecretsReady, v1alpha1.ReasonSecretNotOurs, &apply.NotOursError{Object: "Secret " + name})
	}
	before := secret.DeepCopy()
	if err := fill(secret); err != nil {
		return terminal(v1alpha1.ConditionSecretsReady, v1alpha1.ReasonSecretInvalid, fmt.Errorf("the Secret %s is invalid: %w", name, err))
	}
	s.addCommon(secret)
	withOptions(secret)
	if maps.EqualFunc(before.Data, secret.Data, bytes.Equal) && maps.Equal(before.Annotations, secret.Annotations) && maps.Equal(before.Labels, secret.Labels) {
		return nil
	}
	s.secrets.Set(name, secret)
	if before.ResourceVersion != "" { // somebody else may change it again each time
		s.memory.repaired(s.clock.Now())
	}
	if err := s.applier.SaveSecret(ctx, secret); err != nil {
		return err
	}
	if before.ResourceVersion == "" && !s.isOwnLogins(name) { // lost ones are replaced by the other Secret
		s.noteDeletion(name)
	}
	return nil
}

// addCommon adds the labels and annotations of the spec. Those that the spec had before stay, like the Secret when the server is deleted.
func (s *scope) addCommon(secret *corev1.Secret) {
	for key, value := range s.server.Spec.CommonLabels {
		metav1.SetMetaDataLabel(&secret.ObjectMeta, key, string(value))
	}
	for key, value := range s.server.Spec.CommonAnnotations {
		metav1.SetMetaDataAnnotation(&secret.ObjectMeta, key, string(value))
	}
}

// withOptions makes Argo CD leave a Secret, unless somebody has set other options. It takes what has no owner and the label with an
// Application's name for a part of that, and a ChatServer usually has the same name. What isn't in Git would be deleted: of a trial, the
// password of the data.
func withOptions(secret *corev1.Secret) {
	if secret.Annotations == nil {
		secret.Annotations = map[string]string{}
	}
	for option, value := range map[string]string{"compare-options": "IgnoreExtraneous", "sync-options": "Prune=false,Delete=false"} {
		name := "argocd.argoproj.io/" + option
		if _, set := secret.Annotations[name]; !set {
			secret.Annotations[name] = value
		}
	}
}

// noteDeletion records that one of the operator's own Secrets had to be created again, if all objects of this spec were there after the
// previous pass: somebody had deleted it.
func (s *scope) noteDeletion(name string) {
	if !s.complete() {
		return
	}
	secret := &unstructured.Unstructured{}
	secret.SetKind("Secret")
	secret.SetName(name)
	s.drifts = append(s.drifts, s.applier.CountDeletion(s.server, secret))
}

// lost refuses to recreate a Secret with the password of data that still exist.
func (s *scope) lost(ctx context.Context, name string) error {
	if name != inputs.PostgresSecret(s.server) { // Redis is started again with a new password
		return nil
	}
	claims := &corev1.PersistentVolumeClaimList{}
	if err := s.direct.List(ctx, claims, client.InNamespace(s.server.Namespace), client.MatchingLabels(s.labelsOf(render.Postgres))); err != nil {
		return fmt.Errorf("list volume claims: %w", err)
	}
	if len(claims.Items) == 0 {
		return nil
	}
	s.requeueWithin(lookAgain) // claims aren't watched
	return terminal(v1alpha1.ConditionSecretsReady, v1alpha1.ReasonSecretNotFound, fmt.Errorf(
		"the Secret %s is missing, and the data in PersistentVolumeClaim %s can only be used with its password: restore the Secret with its labels, or delete the claim as well to start without data",
		name, claims.Items[0].Name))
}

func (s *scope) secretLabels(component string) map[string]string {
	return map[string]string{
		v1alpha1.LabelName: v1alpha1.Product, v1alpha1.LabelPartOf: v1alpha1.Product,
		v1alpha1.LabelInstance: s.server.Name, v1alpha1.LabelManagedBy: v1alpha1.Manager, v1alpha1.LabelComponent: component,
	}
}

// adminSecret fills the Secret of the admin interface.
func (s *scope) adminSecret(secret *corev1.Secret) error {
	if err := s.adminTokens(secret); err != nil {
		return err
	}
	return s.adminCertificate(secret)
}

// adminTokens creates the admin token, or advances its rotation.
func (s *scope) adminTokens(secret *corev1.Secret) error {
	now := s.clock.Now().UTC().Truncate(time.Second)
	rotation := s.server.Spec.Secrets.RotationToken
	tokens := secrets.NewTokens(rotation, now)
	if file := secret.Data[secrets.TokensKey]; len(bytes.TrimSpace(file)) > 0 {
		var err error
		if tokens, err = tokensOf(secret, now).Parse(file); err != nil {
			return fmt.Errorf("key %s: %w; delete the Secret to have it recreated", secrets.TokensKey, err)
		}
	}
	after := time.Duration(0)
	if d := s.server.Spec.Secrets.RotateAfter; d != nil {
		after = d.Duration
	}
	tokens, wait := tokens.Next(rotation, after, now)
	s.requeueWithin(wait)
	keepTokens(secret, tokens)
	s.reportToken(secret.Name, tokens)
	return nil
}

// tokensOf reads the state of a rotation from annotations. Missing times default to now.
func tokensOf(secret *corev1.Secret, now time.Time) secrets.Tokens {
	at := func(annotation string) time.Time {
		if t, err := time.Parse(time.RFC3339, secret.Annotations[annotation]); err == nil {
			return t
		}
		return now
	}
	return secrets.Tokens{
		Issued: at(v1alpha1.AnnotationIssuedAt), Changed: at(annotationChanged),
		Promoted: secret.Annotations[annotationPromoted] == "true", Rotation: secret.Annotations[v1alpha1.AnnotationRotationToken],
	}
}

func keepTokens(secret *corev1.Secret, tokens secrets.Tokens) {
	// keepSecret compares these copies with the previous values.
	data, annotations := map[string][]byte{}, map[string]string{}
	maps.Copy(data, secret.Data)
	maps.Copy(annotations, secret.Annotations)
	data[secrets.TokensKey] = tokens.File()
	annotations[v1alpha1.AnnotationIssuedAt] = tokens.Issued.UTC().Format(time.RFC3339)
	annotations[annotationChanged] = tokens.Changed.UTC().Format(time.RFC3339)
	annotations[v1alpha1.AnnotationRotationToken] = tokens.Rotation
	delete(annotations, annotationPromoted)
	if tokens.Promoted {
		annotations[annotationPromoted] = "true"
	}
	secret.Data, secret.Annotations = data, annotations
}

// reportToken sets the status of the token: the new one is current once it is used for calls.
func (s *scope) reportToken(name string, tokens secrets.Tokens) {
	current := &s.server.Status.AdminToken
	current.SecretRef = &corev1.LocalObjectReference{Name: name}
	current.PreviousEnds = nil
	if ends := tokens.Ends(); !ends.IsZero() {
		current.PreviousEnds = &metav1.Time{Time: ends}
	}
	if tokens.Other != "" && !tokens.Promoted {
		return
	}
	current.IssuedAt, current.RotationToken = &metav1.Time{Time: tokens.Issued}, tokens.Rotation
}
