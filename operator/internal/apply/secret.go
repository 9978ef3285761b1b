package apply

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
)

// SaveSecret creates or updates one of the operator's own Secrets. It fails with a conflict if the Secret has changed
// since it was read.
func (a *Applier) SaveSecret(ctx context.Context, secret *corev1.Secret) error {
	save := func() error { return a.client.Update(ctx, secret) }
	if secret.ResourceVersion == "" {
		save = func() error { return a.client.Create(ctx, secret) }
	}
	if err := save(); err != nil {
		return fmt.Errorf("write Secret %s: %w", secret.Name, err)
	}
	return nil
}
