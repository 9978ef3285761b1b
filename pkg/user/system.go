package user

import (
	"context"
	"strings"

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

// Gateway is what the address of the account that strangers' mail comes from has before the @.
const Gateway = "emailgateway"

// IsGateway reports whether the account is that which strangers' mail comes from.
func (u User) IsGateway() bool { return u.System && strings.HasPrefix(u.RealEmail, Gateway+"@") }
