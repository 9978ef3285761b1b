package account

import (
	"context"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/mail"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/user"
)

// greeting is the state of a mail to a person who has joined.
type greeting struct {
	User id.User `json:"user"`
}

func (s *Service) greetingMail() mail.Kind[greeting] {
	return mail.NewKind("welcome", s.composeGreeting)
}

// greet sends a mail to a person who has joined, unless the organization doesn't want that (send_welcome_emails) or the server sends no
// mail. The person has confirmed the address, or an identity provider has: otherwise anybody could have mail sent to anybody.
func (s *Service) greet(ctx context.Context, tx *store.Tx, o org.Org, newcomer user.User) error {
	if !s.Logins.Mail || !o.Settings.SendWelcomeEmails {
		return nil
	}
	return s.greetingMail().Add(ctx, tx, newcomer.RealEmail, greeting{newcomer.ID})
}

func (s *Service) composeGreeting(ctx context.Context, tx *store.Tx, _ string, state greeting) (*mail.Letter, error) {
	o, to, err := s.active(ctx, tx, state.User)
	if err != nil || to.ID == 0 {
		return nil, err
	}
	in := to.Settings.Texts()
	says := in.Mail.NewAccount(o.Name, o.URI, to.RealEmail)
	says.After = []string{in.Notices.Welcome}
	return mail.NewLetter(in, o.Name, says, o.URI), nil
}
