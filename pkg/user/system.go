package user

import (
	"context"

	"chatserver.dev/pkg/store"
)

// NotificationBot returns the account that the organization's notices come from.
func NotificationBot(ctx context.Context, tx *store.Tx) (User, error) {
	return read(tx.NotificationBot(ctx))
}
