// Package reply manages addresses for replying by mail to mails about messages. A reply becomes a message in the
// conversation, from the account that the mail was sent to (package incomingmail).
package reply

import (
	"context"
	"time"

	"chatserver.dev/pkg/gateway"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/mail"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/store"
)

// life is the time in which mails can be replied to.
const life = 14 * 24 * time.Hour

// Meaning is the account and the destination of an address.
type Meaning struct {
	User id.User       `json:"user"`
	To   message.Place `json:"to"`
}

// addresses returns the kind of the links whose tokens are in addresses. Replying doesn't use them up.
func addresses() mail.Link[Meaning] { return mail.NewLink[Meaning]("reply", life) }

// Address creates an address for replies of an account to a mail. It returns an empty text if the server receives no
// mail. The address must be used only in the mail, because it allows sending as the account. The server stores only a
// hash of it.
func Address(ctx context.Context, tx *store.Tx, in gateway.Pattern, who id.User, to message.Place, now time.Time) (string, error) {
	if !in.Enabled() {
		return "", nil
	}
	token, err := addresses().Make(ctx, tx, Meaning{who, to}, now)
	return in.Reply(tx.Org(), token), err
}

// Read returns the meaning of an address's token, or mail.ErrNoLink.
func Read(ctx context.Context, tx *store.Tx, token string, now time.Time) (Meaning, error) {
	return addresses().Read(ctx, tx, token, now)
}
