// Package reply manages addresses for replying by mail to mails about messages. A reply becomes a message in the
// conversation, from the account that the mail was sent to (package incomingmail).
package reply

import (
	"context"
	"time"

	"chatserver.dev/pkg/gateway"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/login"
	"chatserver.dev/pkg/mail"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/store"
)

// life is the time in which mails can be replied to.
const life = 14 * 24 * time.Hour

// Destination is where the replies to an address go, and the account that sends them.
type Destination struct {
	User id.User       `json:"user"`
	To   message.Place `json:"to"`
	// Stamp is [login.Stamp] of the account when the mail was sent. A change voids the address: who can read the mailbox may no longer be
	// the account's owner.
	Stamp string `json:"stamp"`
}

// addresses returns the kind of the links whose tokens are in addresses. Replying doesn't use them up.
func addresses() mail.Link[Destination] { return mail.NewLink[Destination]("reply", life) }

// Address creates an address for replies of an account to a mail. It returns an empty text if the server receives no
// mail. The address must be used only in the mail, because it allows sending as the account, until the account's
// address, password or API key changes. The server stores only a hash of it.
func Address(ctx context.Context, tx *store.Tx, in gateway.Pattern, who id.User, to message.Place, now time.Time) (string, error) {
	if !in.Enabled() {
		return "", nil
	}
	stamp, err := login.Stamp(ctx, tx, who)
	if err != nil {
		return "", err
	}
	token, err := addresses().Make(ctx, tx, Destination{who, to, stamp}, now)
	return in.Reply(tx.Org(), token), err
}

// Read returns the destination of an address's token, or mail.ErrNoLink.
func Read(ctx context.Context, tx *store.Tx, token string, now time.Time) (Destination, error) {
	to, err := addresses().Read(ctx, tx, token, now)
	if err != nil {
		return Destination{}, err
	}
	stamp, err := login.Stamp(ctx, tx, to.User)
	if store.IsNotFound(err) || err == nil && stamp != to.Stamp {
		err = mail.ErrNoLink
	}
	return to, err
}
