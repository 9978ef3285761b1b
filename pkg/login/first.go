package login

import (
	"context"
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
