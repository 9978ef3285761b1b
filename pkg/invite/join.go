package invite

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"

	"chatserver.dev/pkg/account"
	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/catalogue"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/login"
	"chatserver.dev/pkg/mail"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/user"
)

// The paths for joining an organization, at its host. JoinPath is followed by the token of a link in a mail, LinkPath by the secret part
// of a link for anyone. SignUpPath is for joining without an invitation.
const (
	JoinPath   = "/join/"
	LinkPath   = "/invite/"
	SignUpPath = "/register"
)

// ErrClosed says that people can join an organization only by invitation.
var ErrClosed = fault.Bad("This organization is for invited people: ask one of its members for an invitation.")

// ErrNoPassword says that people without an invitation can't choose a password, since nobody signs in with one.
var ErrNoPassword = fault.Bad("This organization doesn't use passwords: sign in with its identity provider, which also creates your account.")

// newLink returns the secret part of a new link for anyone.
func newLink() string { return rand.Text() }

// wellFormed reports whether a text has the form of newLink's results.
func wellFormed(link string) bool {
	return len(link) == len(newLink()) && strings.Trim(link, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == ""
}

// invited is the state of a mail with an invitation.
type invited struct {
	Invitation int64  `json:"invitation"`
	Language   string `json:"language,omitempty"` // of the person who signs up
}

// ticket is the state of a link for joining in a mail.
type ticket struct {
	Email string `json:"email"`
	// Invitation is the invitation with which they join. 0: none is needed.
	Invitation int64 `json:"invitation,omitempty"`
}

// ticketLink returns the links for joining, which have the lifetime of an invitation.
func ticketLink() mail.Link[ticket] { return mail.NewLink[ticket]("join", life) }

// invitationMail invites a person. signUpMail confirms the address of a person who signs up with a link for anyone or without an
// invitation.
func (s *Service) invitationMail() mail.Kind[invited] {
	return mail.NewKind("invitation", s.composeInvitation)
}

func (s *Service) signUpMail() mail.Kind[invited] { return mail.NewKind("sign-up", s.composeSignUp) }

// Mails returns the kinds of mail that the service sends.
func (s *Service) Mails() []mail.Composer {
	return []mail.Composer{s.invitationMail(), s.signUpMail()}
}

func (s *Service) composeInvitation(ctx context.Context, tx *store.Tx, email string, state invited) (*mail.Letter, error) {
	o, row, err := s.current(ctx, tx, state.Invitation)
	if fault.Of(err) != nil {
		return nil, nil //nolint:nilnil,nilerr // it was withdrawn
	}
	if err != nil {
		return nil, err
	}
	inviter, err := user.ByID(ctx, tx, row.InviterID)
	if err != nil {
		return nil, err
	}
	token, err := ticketLink().Make(ctx, tx, ticket{email, row.InvitationID}, s.Now())
	if err != nil {
		return nil, err
	}
	in, person := catalogue.Best(o.Settings.DefaultLanguage), inviter.FullName
	if user.DisplayEmail(o, inviter) == inviter.RealEmail {
		person += " (" + inviter.RealEmail + ")"
	}
	return mail.NewLetter(in, o.Name, in.Mail.Invitation(o.Name, o.URI, inviter.FullName, person), o.URI+JoinPath+token), nil
}

func (s *Service) composeSignUp(ctx context.Context, tx *store.Tx, email string, state invited) (*mail.Letter, error) {
	o, _, err := s.open(ctx, tx, state.Invitation)
	if fault.Of(err) != nil {
		return nil, nil //nolint:nilnil,nilerr // the invitation isn't valid anymore
	}
	if err != nil {
		return nil, err
	}
	in := catalogue.Best(state.Language, o.Settings.DefaultLanguage)
	switch err := account.CheckAddress(ctx, tx, o, email); {
	case errors.Is(err, account.ErrAddressTaken):
		return mail.NewLetter(in, o.Name, in.Mail.HasAccount(o.Name, o.URI), o.URI+login.ResetPath), nil
	case fault.Of(err) != nil:
		return nil, nil //nolint:nilnil,nilerr // the reason must not be disclosed
	case err != nil:
		return nil, err
	}
	token, err := ticketLink().Make(ctx, tx, ticket{email, state.Invitation}, s.Now())
	return mail.NewLetter(in, o.Name, in.Mail.SignUp(o.Name, o.URI), o.URI+JoinPath+token), err
}

// current returns an invitation that is valid, with its organization. It fails with [mail.ErrNoLink] or [login.ErrOrgDeactivated].
func (s *Service) current(ctx context.Context, tx *store.Tx, invitation int64) (org.Org, sqlc.Invitation, error) {
	o, err := s.Orgs.Load(ctx, tx)
	switch {
	case err != nil:
		return o, sqlc.Invitation{}, err
	case o.Deactivated:
		return o, sqlc.Invitation{}, login.ErrOrgDeactivated
	}
	row, err := tx.Invitation(ctx, invitation, s.since())
	return o, row, linkError(err)
}

func linkError(err error) error {
	if store.IsNotFound(err) {
		return mail.ErrNoLink
	}
	return err
}

// open returns the organization and the invitation if people can join with it or, if it is 0, without one: as members then. It fails with
// [ErrClosed], [ErrNoPassword], [mail.ErrNoLink] or [login.ErrOrgDeactivated].
func (s *Service) open(ctx context.Context, tx *store.Tx, invitation int64) (org.Org, sqlc.Invitation, error) {
	if invitation != 0 {
		return s.current(ctx, tx, invitation)
	}
	none := sqlc.Invitation{Role: actor.Member}
	o, err := s.Orgs.Load(ctx, tx)
	switch {
	case err != nil:
		return o, none, err
	case o.Deactivated:
		return o, none, login.ErrOrgDeactivated
	case o.Settings.InviteRequired:
		return o, none, ErrClosed
	case !o.Settings.AuthenticationMethods[org.Passwords]:
		// The provider decides who joins. Other accounts would work as soon as passwords are open.
		return o, none, ErrNoPassword
	default:
		return o, none, nil
	}
}

// Check fails if people can't join with this link or, if it is empty, without an invitation. It fails with [ErrClosed], [ErrNoPassword],
// [mail.ErrNoLink] or [login.ErrOrgDeactivated].
func (s *Service) Check(ctx context.Context, in id.Org, link string) error {
	_, err := s.byLink(ctx, in, link)
	return err
}

// byLink returns the invitation of a link for anyone, or 0 if the link is empty and no invitation is
// needed.
func (s *Service) byLink(ctx context.Context, in id.Org, link string) (invitation int64, err error) {
	err = s.DB.Read(ctx, in, func(tx *store.Tx) error {
		if invitation = 0; link != "" {
			if !wellFormed(link) {
				return mail.ErrNoLink // PostgreSQL doesn't accept every text
			}
			row, err := tx.InvitationByLink(ctx, link, s.since())
			if err != nil {
				return linkError(err)
			}
			invitation = row.InvitationID
		}
		_, _, err := s.open(ctx, tx, invitation)
		return err
	})
	return invitation, err
}

// SignUp sends a link for joining to an address: with a link for anyone or, if link is empty, without an invitation.
// It fails with the errors of [Service.Check] and login.Service.Asked.
func (s *Service) SignUp(ctx context.Context, request login.Request, link string) error {
	o, err := s.Orgs.ByHost(ctx, request.Host)
	if err != nil {
		return err
	}
	invitation, err := s.byLink(ctx, o.ID, link)
	if err != nil {
		return err
	}
	_, email, err := s.Logins.Asked(ctx, request)
	if err != nil {
		return err
	}
	return s.DB.Write(ctx, o.ID, func(tx *store.Tx) error {
		return s.signUpMail().Add(ctx, tx, email, invited{invitation, request.Language})
	})
}

// ReadTicket returns the address for which a link for joining in a mail is valid. It fails with [mail.ErrNoLink], [ErrClosed],
// [ErrNoPassword] or [login.ErrOrgDeactivated].
func (s *Service) ReadTicket(ctx context.Context, in id.Org, token string) (email string, err error) {
	err = s.DB.Read(ctx, in, func(tx *store.Tx) error {
		state, err := ticketLink().Read(ctx, tx, token, s.Now())
		if err != nil {
			return err
		}
		email = state.Email
		_, _, err = s.open(ctx, tx, state.Invitation)
		return err
	})
	return email, err
}

// Join creates the account of a person with a link for joining in a mail, and returns the account's address. Where nobody signs in with a
// password, the chosen one isn't used. It fails with the errors of [Service.ReadTicket], account.CheckAddress and account.Service.Join.
func (s *Service) Join(ctx context.Context, in id.Org, token, fullName, chosen string) (email string, err error) {
	newcomer, err := s.newcomer(ctx, in, token)
	if err != nil {
		return "", err
	}
	email, newcomer.FullName, newcomer.Password = newcomer.Email, fullName, chosen
	return email, s.Accounts.Join(ctx, in, newcomer, func(tx *store.Tx, o org.Org) error {
		if err := tx.LockInvitations(ctx); err != nil {
			return err
		}
		// The invitation may have been withdrawn meanwhile.
		state, err := ticketLink().Read(ctx, tx, token, s.Now())
		if err != nil {
			return err
		}
		if _, _, err := s.open(ctx, tx, state.Invitation); err != nil {
			return err
		}
		if err := account.CheckAddress(ctx, tx, o, email); err != nil {
			return err
		}
		if _, err := ticketLink().Use(ctx, tx, token, s.Now()); err != nil {
			return err
		}
		return account.EndInvitations(ctx, tx, email)
	})
}

// newcomer returns the person with a link for joining in a mail, without a name and a password.
func (s *Service) newcomer(ctx context.Context, in id.Org, token string) (n account.Newcomer, err error) {
	err = s.DB.Read(ctx, in, func(tx *store.Tx) error {
		state, err := ticketLink().Read(ctx, tx, token, s.Now())
		if err != nil {
			return err
		}
		o, row, err := s.open(ctx, tx, state.Invitation)
		if err != nil {
			return err
		}
		n.Email, n.Confirmed, n.NoPassword = state.Email, true, !o.Settings.AuthenticationMethods[org.Passwords]
		n.Role, n.Streams, n.InvitedBy = row.Role, id.Convert[id.Stream](row.Streams), row.InviterID
		return nil
	})
	return n, err
}
