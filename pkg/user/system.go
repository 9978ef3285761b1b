package user

import (
	"context"
	"fmt"

	"chatserver.dev/pkg/store"
)

// NotificationBot returns the account that the organization's notices come from.
func NotificationBot(ctx context.Context, tx *store.Tx) (User, error) {
	row, err := tx.NotificationBot(ctx)
	if err != nil {
		return User{}, fmt.Errorf("find notification bot: %w", err)
	}
	return read(row)
}
