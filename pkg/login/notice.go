package login

import (
	"context"
	"errors"
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

// written returns a network in the form for people: without the number of bits if it is a single address.
func written(network netip.Prefix) string {
	if network.IsSingleIP() {
		return network.Addr().String()
	}
	return network.Masked().String()
}

func (s *Service) composeNotice(ctx context.Context, tx *store.Tx, _ string, state noticeState) (*mail.Letter, error) {
	o, err := s.Orgs.Load(ctx, tx)
	if err != nil || o.Deactivated {
		return nil, err
	}
	reader, err := user.ByID(ctx, tx, state.User)
	if errors.Is(err, user.ErrNoSuchUser) || err == nil && !reader.Active {
		return nil, nil //nolint:nilnil // no mail is sent
	}
	if err != nil {
		return nil, err
	}
	in := reader.Settings.Texts()
	says := in.Mail.NewLogin(o.Name, o.URI, reader.RealEmail, state.Client, state.Network, state.At)
	return to(reader, mail.NewLetter(in, o.Name, says, o.URI+ResetPath)), nil
}
