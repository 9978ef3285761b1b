package login

import (
	"context"
	"time"

	"chatserver.dev/pkg/mail"
	"chatserver.dev/pkg/store"
)

// firstLife is the time in which people have to choose their first password. It is the lifetime of an invitation.
const firstLife = 10 * 24 * time.Hour

// firstLink returns the links of [resetLink] with the lifetime [firstLife].
func firstLink() mail.Link[resetState] { return mail.NewLink[resetState]("password reset", firstLife) }

func (s *Service) firstMail() mail.Kind[struct{}] {
	return mail.NewKind("first password", s.composeFirst)
}

// Announce sends a mail to a person whose account was created by another person or program. The mail has a link for choosing a password
// or, if the organization has no passwords, the organization's address. Announce fails with [mail.ErrOff].
func (s *Service) Announce(ctx context.Context, tx *store.Tx, email string) error {
	if !s.Mail {
		return mail.ErrOff
	}
	return s.firstMail().Add(ctx, tx, email, struct{}{})
}

func (s *Service) composeFirst(ctx context.Context, tx *store.Tx, email string, _ struct{}) (*mail.Letter, error) {
	o, found, ok, err := s.reader(ctx, tx, byAddress(ctx, tx, email))
	if err != nil || !ok {
		return nil, err
	}
	in := found.Settings.Texts()
	hash, err := storedPassword(ctx, tx, found.ID)
	if err != nil {
		return nil, err
	}
	if hash != "" || !o.Settings.AuthenticationMethods["Email"] {
		return to(found, mail.NewLetter(in, o.Name, in.Mail.NewAccount(o.Name, o.URI, found.RealEmail), o.URI)), nil
	}
	token, err := firstLink().Make(ctx, tx, resetState{found.ID, fingerprint(hash, found.RealEmail)}, s.Now())
	if err != nil {
		return nil, err
	}
	says := in.Mail.FirstPassword(o.Name, o.URI, found.RealEmail, o.URI+ResetPath)
	return to(found, mail.NewLetter(in, o.Name, says, o.URI+ResetPath+token)), nil
}
