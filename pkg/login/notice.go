package login

import (
	"context"
	"net/netip"
	"time"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/mail"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/user"
)

// quiet is the time after the creation of an account without mail about its logins.
const quiet = time.Minute

// noticeState is the state of a mail about a login.
type noticeState struct {
	User    id.User   `json:"user"`
	Client  string    `json:"client"`
	Network string    `json:"network"`
	At      time.Time `json:"at"`
}

// passwordState is the state of a mail about a new password.
type passwordState struct {
	User id.User   `json:"user"`
	At   time.Time `json:"at"`
}

// noticeMail informs the account's owner of a login (rest-api.md, section 5.2).
func (s *Service) noticeMail() mail.Kind[noticeState] { return mail.NewKind("login", s.composeNotice) }

// notice sends a mail about a login if the account's settings enable it.
func (s *Service) notice(ctx context.Context, tx *store.Tx, to user.User, a Attempt) error {
	now := s.Now()
	if !s.Mail || !to.Settings.EnableLoginEmails || now.Sub(to.Joined) < quiet {
		return nil
	}
	return s.noticeMail().Add(ctx, tx, to.RealEmail, noticeState{to.ID, a.Client, written(a.Network), now})
}

// passwordMail informs the account's owner that the password was replaced. No setting disables it: whoever has replaced it could
// change that, too.
func (s *Service) passwordMail() mail.Kind[passwordState] {
	return mail.NewKind("new password", s.composePassword)
}

// replacePassword is like [SetPassword], with a mail about it if there was a password.
func (s *Service) replacePassword(ctx context.Context, tx *store.Tx, of id.User, address, before, hash string, but id.Login) error {
	if err := SetPassword(ctx, tx, of, hash, but); err != nil || !s.Mail || before == "" {
		return err
	}
	return s.passwordMail().Add(ctx, tx, address, passwordState{of, s.Now()})
}

// written returns a network in the form for people: without the number of bits if it is a single address.
func written(network netip.Prefix) string {
	if network.IsSingleIP() {
		return network.Addr().String()
	}
	return network.Masked().String()
}

func (s *Service) composeNotice(ctx context.Context, tx *store.Tx, _ string, state noticeState) (*mail.Letter, error) {
	o, reader, ok, err := s.reader(ctx, tx, byID(ctx, tx, state.User))
	if err != nil || !ok {
		return nil, err
	}
	in := reader.Settings.Texts()
	says := in.Mail.NewLogin(o.Name, o.URI, reader.RealEmail, state.Client, state.Network, state.At)
	return to(reader, mail.NewLetter(in, o.Name, says, o.URI+ResetPath)), nil
}

func (s *Service) composePassword(ctx context.Context, tx *store.Tx, _ string, state passwordState) (*mail.Letter, error) {
	o, reader, ok, err := s.reader(ctx, tx, byID(ctx, tx, state.User))
	if err != nil || !ok {
		return nil, err
	}
	in := reader.Settings.Texts()
	says := in.Mail.NewPassword(o.Name, o.URI, reader.RealEmail, state.At)
	return to(reader, mail.NewLetter(in, o.Name, says, o.URI+ResetPath)), nil
}
