// Package reply manages the addresses by which mails about messages are answered by mail: an answer is sent to the conversation, as
// whoever the mail was for (package received).
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

// life is how long mails can be answered.
const life = 14 * 24 * time.Hour

// Meaning is what an address is for.
type Meaning struct {
	User id.User       `json:"user"`
	To   message.Place `json:"to"`
}

// addresses returns the kind of links that tokens of addresses are. They count as often as somebody answers.
func addresses() mail.Link[Meaning] { return mail.NewLink[Meaning]("reply", life) }

// Address makes the address by which whoever a mail is for answers it; empty where no mail comes in. It is for the mail alone,
// since whoever knows it can send as the account: only a hash of it is stored.
func Address(ctx context.Context, tx *store.Tx, in gateway.Pattern, who id.User, to message.Place, now time.Time) (string, error) {
	if !in.On() {
		return "", nil
	}
	token, err := addresses().Make(ctx, tx, Meaning{who, to}, now)
	return in.Reply(tx.Org(), token), err
}

// Read returns what the token of an address stands for, or mail.ErrNoLink.
func Read(ctx context.Context, tx *store.Tx, token string, now time.Time) (Meaning, error) {
	return addresses().Read(ctx, tx, token, now)
}
