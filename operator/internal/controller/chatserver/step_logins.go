package chatserver

import (
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

// keepLogins decides which logins the migration makes, and has the operator's own be in a Secret. They are never changed
// in their Secret: others go into the other one of the two, so that pods keep theirs until they are replaced.
func (s *scope) keepLogins(ctx context.Context) outcome {
	s.inputs.MigrationLogins = inputs.GivenLogins(s.server)
	if s.inputs.MigrationLogins == "" {
		slot, err := s.loginsSlot(ctx)
		if err != nil {
			return failed(err)
		}
		s.inputs.MigrationLogins = inputs.LoginsSecrets(s.server)[slot]
		if out := s.keepSecret(ctx, s.inputs.MigrationLogins, "api", s.makeLogins(slot)); out.err != nil {
			return out
		}
	}
	s.inputs.FormerUsers = upgrade.FormerUsers(s.inputs.MigrationLogins, s.server.Status)
	return proceed()
}

// loginsSlot says which one of the operator's two Secrets has the logins that are to be made: that in use, or the other
// one if that in use is gone or is to be replaced.
func (s *scope) loginsSlot(ctx context.Context) (int, error) {
	names, used := inputs.LoginsSecrets(s.server), ""
	logins := s.server.Status.DatabaseLogins
	if logins != nil {
		used = logins.SecretName
	}
	slot := max(slices.Index(names[:], used), 0)
	secret, err := s.readSecret(ctx, names[slot])
	if err != nil {
		return 0, err
	}
	if names[slot] != used { // none is in use: one that a ChatServer of this name has left is taken up
		other, err := s.readSecret(ctx, names[1-slot])
		if secret == nil && other != nil {
			slot = 1 - slot
		}
		return slot, err
	}
	replacing := len(logins.FormerUsers) > 0 && !logins.FormerUnused
	if secret == nil || !replacing && secret.Annotations[v1alpha1.AnnotationRotationToken] != s.loginsToken() {
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

// makeLogins fills a Secret with names and passwords.
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

// takeLogins notes the logins that a Job has made.
func (s *scope) takeLogins(version, secret string, users []string) {
	upgrade.TakeLogins(&s.server.Status, version, secret, users, s.isOwnLogins)
	s.inputs.PodLogins = upgrade.PodLogins(s.server.Spec.Version, s.server.Status)
}

// retire notes that no pod has the former logins any more, and deletes their Secret. The next pass has a migration take
// their right to log in.
func retire(ctx context.Context, s *scope) outcome {
	logins := s.server.Status.DatabaseLogins
	switch {
	case logins == nil:
		return proceed()
	case len(logins.FormerUsers) == 0 || logins.FormerUnused:
		if s.server.Status.Schema.Migration == s.inputs.MigrationSum { // not while an older version runs again
			logins.RotationToken = s.loginsToken()
		}
		return proceed()
	}
	for _, component := range render.Components() {
		pods, err := s.pods(ctx, s.labelsOf(component))
		if err != nil {
			return failed(err)
		}
		if slices.ContainsFunc(pods, func(pod corev1.Pod) bool { return pod.DeletionTimestamp != nil }) {
			s.within(lookAtEnding)
			return proceed()
		}
	}
	for _, name := range inputs.LoginsSecrets(s.server) {
		if name == logins.SecretName {
			continue
		}
		if err := s.deleteOwn(ctx, name); err != nil {
			return failed(err)
		}
	}
	logins.FormerUnused = true
	s.within(time.Second)
	return proceed()
}

// deleteOwn deletes one of the operator's own Secrets, if it is there.
func (s *scope) deleteOwn(ctx context.Context, name string) error {
	secret, err := s.readSecret(ctx, name)
	if err != nil || secret == nil || !apply.Ours(secret, s.server) {
		return err
	}
	if err := s.client.Delete(ctx, secret); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("delete Secret %s: %w", name, err)
	}
	return nil
}
