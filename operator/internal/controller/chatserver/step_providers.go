package chatserver

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"chatserver.dev/operator/internal/inputs"
)

// keepProviders writes the Secret with the identity providers, which pods mount.
func (s *scope) keepProviders(ctx context.Context) error {
	files, err := inputs.Providers(ctx, s.secrets, s.server)
	if err != nil || files == nil {
		return err
	}
	return s.keepSecret(ctx, inputs.ProvidersSecret(s.server), "api", func(secret *corev1.Secret) error {
		secret.Data = files
		return nil
	})
}

// forget deletes the Secret with identity providers that the spec no longer has. No pod mounts it any more.
func forget(ctx context.Context, s *scope) error {
	if len(s.server.Spec.IdentityProviders) > 0 {
		return nil
	}
	return s.deleteOwn(ctx, inputs.ProvidersSecret(s.server))
}
