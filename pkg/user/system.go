package user

import (
	"context"
	"strings"

	"chatserver.dev/pkg/store"
)

// NotificationBot returns the account that sends the organization's notices.
func NotificationBot(ctx context.Context, tx *store.Tx) (User, error) {
	return read(tx.NotificationBot(ctx))
}

// System returns the server's own account with an address, or store.ErrNotFound.
func System(ctx context.Context, tx *store.Tx, email string) (User, error) {
	return read(tx.SystemAccount(ctx, email))
}

// Gateway is the local part of the address of the email gateway: the account that sends the messages made of mail from
// unknown senders.
const Gateway = "emailgateway"

// IsGateway reports whether the account is the email gateway.
func (u User) IsGateway() bool { return u.System && strings.HasPrefix(u.RealEmail, Gateway+"@") }
