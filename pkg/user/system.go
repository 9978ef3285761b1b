package user

import (
	"context"

	"chatserver.dev/pkg/store"
)

// NotificationBot returns the account that the organization's notices come from.
func NotificationBot(ctx context.Context, tx *store.Tx) (User, error) {
	return read(tx.NotificationBot(ctx))
}

// System returns the server's own account with an address, or store.ErrNotFound.
func System(ctx context.Context, tx *store.Tx, email string) (User, error) {
	return read(tx.SystemAccount(ctx, email))
}
