package user

import (
	"context"
	"strings"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
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

// EnsureGateway returns the email gateway of a server with a domain, and creates the account if there is none.
func EnsureGateway(ctx context.Context, tx *store.Tx, domain string, now time.Time) (User, error) {
	address, kind := Gateway+"@"+domain, actor.GenericBot
	_, err := tx.CreateUser(ctx, sqlc.CreateUserParams{
		Email: address, FullName: "Email Gateway", Role: actor.Member, BotType: &kind, System: true, Settings: []byte("{}"), JoinedAt: now,
	})
	if err != nil && !store.IsNotFound(err) { // it isn't there yet
		return User{}, err
	}
	return System(ctx, tx, address)
}

// IsGateway reports whether the account is the email gateway.
func (u User) IsGateway() bool { return u.System && strings.HasPrefix(u.RealEmail, Gateway+"@") }
