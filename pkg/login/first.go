package login

import (
	"context"
	"fmt"
	"time"

	"chatserver.dev/pkg/mail"
	"chatserver.dev/pkg/store"
)

// firstLife is how long people have to choose their first password: as long as an invitation is valid.
const firstLife = 10 * 24 * time.Hour

// firstLink is a [resetLink] that works for longer.
func firstLink() mail.Link[resetState] { return mail.NewLink[resetState]("password reset", firstLife) }

func (s *Service) firstMail() mail.Kind[struct{}] {
	return mail.NewKind("first password", s.composeFirst)
}

// Announce sends a mail to a person whose account somebody else created: with a link by which they choose a password, or where the
// organization has no passwords, the organization's address. It fails with [mail.ErrOff].
func (s *Service) Announce(ctx context.Context, tx *store.Tx, email string) error {
	if !s.Mail {
		return mail.ErrOff
	}
	return s.firstMail().Add(ctx, tx, email, struct{}{})
}

func (s *Service) composeFirst(ctx context.Context, tx *store.Tx, email string, _ struct{}) (*mail.Letter, error) {
	o, found, ok, err := s.reader(ctx, tx, email)
	if err != nil || !ok {
		return nil, err
	}
	letter := &mail.Letter{
		To: found.RealEmail, From: o.Name, Subject: "Your account for " + o.Name,
		Before: []string{fmt.Sprintf("You have an account at %s now, with the address %s.", o.URI, found.RealEmail)},
		Link:   o.URI, Button: "Log in",
	}
	hash, err := storedPassword(ctx, tx, found.ID)
	if err != nil || hash != "" || !o.Settings.AuthenticationMethods["Email"] {
		return letter, err
	}
	token, err := firstLink().Make(ctx, tx, resetState{found.ID, fingerprint(hash)}, s.Now())
	if err != nil {
		return nil, err
	}
	letter.Link, letter.Button = o.URI+ResetPath+token, "Choose a password"
	letter.After = []string{fmt.Sprintf("The link works once, and for ten days. After that, have another sent to you at %s.", o.URI+ResetPath)}
	return letter, nil
}
