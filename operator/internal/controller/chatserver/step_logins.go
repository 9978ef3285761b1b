package chatserver

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/apply"
	"chatserver.dev/operator/internal/inputs"
	"chatserver.dev/operator/internal/render"
	"chatserver.dev/operator/internal/secrets"
	"chatserver.dev/operator/internal/upgrade"
)

// keepLogins decides which logins the migration creates and which ones pods use, and stores the operator's own in a Secret. A
// Secret never changes: new logins go into the other one of the two, so that pods keep theirs until they are replaced.
func (s *scope) keepLogins(ctx context.Context) error {
	s.inputs.MigrationLogins = inputs.GivenLogins(s.server)
	if s.inputs.MigrationLogins == "" {
		slot, err := s.loginsSlot(ctx)
		if err != nil {
			return err
		}
		s.inputs.MigrationLogins = inputs.LoginsSecrets(s.server)[slot]
		if err := s.keepSecret(ctx, s.inputs.MigrationLogins, "api", s.makeLogins(slot)); err != nil {
			return err
		}
	}
	s.inputs.PodLogins = s.inputs.MigrationLogins
	if logins := s.server.Status.DatabaseLogins; logins != nil {
		s.inputs.PodLogins = logins.SecretName
	}
	s.inputs.FormerUsers = upgrade.FormerUsers(s.inputs.MigrationLogins, s.server.Status)
	return nil
}

// loginsSlot returns which of the operator's two Secrets has the desired logins: the one in use, or the other one if that
// is missing or must be replaced.
func (s *scope) loginsSlot(ctx context.Context) (int, error) {
	names, used := inputs.LoginsSecrets(s.server), ""
	logins := s.server.Status.DatabaseLogins
	if logins != nil {
		used = logins.SecretName
	}
	slot := max(slices.Index(names[:], used), 0)
	secret, err := s.secrets.Get(ctx, names[slot])
	if err != nil {
		return 0, err
	}
	if names[slot] != used { // none is in use: reuse a Secret that an earlier ChatServer with this name has left
		other, err := s.secrets.Get(ctx, names[1-slot])
		if secret == nil && other != nil {
			slot = 1 - slot
		}
		return slot, err
	}
	if secret == nil {
		s.noteDeletion(names[slot])
	}
	replacing := len(logins.FormerUsers) > 0 && !logins.FormerUnused
	if secret == nil || !replacing && secrets.Rotates(s.loginsToken(), secret.Annotations[v1alpha1.AnnotationRotationToken]) {
		slot = 1 - slot
	}
	return slot, nil
}

func (s *scope) loginsToken() string {
	if logins := s.server.Spec.Database.Logins; logins != nil {
		return logins.RotationToken
	}
	return ""
}

// makeLogins returns a function that fills a Secret with names and passwords.
func (s *scope) makeLogins(slot int) func(*corev1.Secret) error {
	return func(secret *corev1.Secret) error {
		if secret.ResourceVersion == "" {
			secret.Annotations[v1alpha1.AnnotationRotationToken] = s.loginsToken()
			secret.Annotations[v1alpha1.AnnotationIssuedAt] = s.clock.Now().UTC().Format(time.RFC3339)
		}
		prefix := secrets.LoginPrefix(s.server.Namespace, s.server.Name, string(s.server.UID), "ab"[slot:slot+1])
		secret.Data = secrets.Logins(prefix, secret.Data)
		return nil
	}
}

// isOwnLogins reports whether a Secret is one of the operator's own with logins.
func (s *scope) isOwnLogins(name string) bool {
	names := inputs.LoginsSecrets(s.server)
	return slices.Contains(names[:], name)
}

// takeLogins records the logins of a Secret, which a Job has created. If the Secret is lost by now, there will be others.
func (s *scope) takeLogins(ctx context.Context, name string) error {
	secret, err := s.secrets.Get(ctx, name)
	if err != nil || secret == nil {
		return err
	}
	users := []string{string(secret.Data[secrets.ServiceUserKey]), string(secret.Data[secrets.EverywhereUserKey])}
	upgrade.TakeLogins(&s.server.Status, name, users, s.isOwnLogins)
	s.inputs.PodLogins = name
	return nil
}

// retire records that no pod uses the former logins any more, and deletes their Secret. In the next pass, a migration
// revokes the right to log in from the former logins.
func retire(ctx context.Context, s *scope) error {
	logins := s.server.Status.DatabaseLogins
	switch {
	case logins == nil:
		return nil
	case len(logins.FormerUsers) == 0 || logins.FormerUnused:
		if s.server.Status.Schema.Migration == s.inputs.MigrationSum { // not after a rollback
			logins.RotationToken = cmp.Or(s.loginsToken(), logins.RotationToken)
		}
		return nil
	}
	for _, component := range render.Components() {
		pods, err := s.pods(ctx, s.labelsOf(component))
		if err != nil {
			return err
		}
		if slices.ContainsFunc(pods, func(pod corev1.Pod) bool { return pod.DeletionTimestamp != nil }) {
			s.requeueWithin(lookAtEnding)
			return nil
		}
	}
	for _, name := range inputs.LoginsSecrets(s.server) {
		if name == logins.SecretName {
			continue
		}
		if err := s.deleteOwn(ctx, name); err != nil {
			return err
		}
	}
	logins.FormerUnused = true
	s.requeueWithin(time.Second)
	return nil
}

// deleteOwn deletes one of the operator's own Secrets, if it exists.
func (s *scope) deleteOwn(ctx context.Context, name string) error {
	secret, err := s.secrets.Get(ctx, name)
	if err != nil || secret == nil || !apply.Ours(secret, s.server) {
		return err
	}
	if err := s.client.Delete(ctx, secret); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("delete Secret %s: %w", name, err)
	}
	s.secrets.Set(name, nil)
	return nil
}
