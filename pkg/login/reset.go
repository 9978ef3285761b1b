package login

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/mail"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/user"
)

// ResetPath is the path for resetting passwords, at the host of an organization. It is followed by the token of a link.
const ResetPath = "/reset/"

// resetLife is the lifetime of a link for resetting a password.
const resetLife = 24 * time.Hour

// resetState is the state of a link to reset a password.
type resetState struct {
	User id.User `json:"user"`
	// Before is the [fingerprint] of the password's hash and the address: a change of either voids the link.
	Before string `json:"before"`
}

func resetLink() mail.Link[resetState] { return mail.NewLink[resetState]("password reset", resetLife) }

func (s *Service) resetMail() mail.Kind[struct{}] {
	return mail.NewKind("password reset", s.composeReset)
}

// Mails returns the kinds of mail that the service sends.
func (s *Service) Mails() []mail.Composer {
	return []mail.Composer{s.resetMail(), s.firstMail(), s.noticeMail(), s.passwordMail()}
}

// Request is a request for a mail. It needs no authentication.
type Request struct {
	Host    string
	Network netip.Prefix
	Email   string
	// Language is the code of the language of mail to a person without an account.
	Language string
}

// RequestReset sends a link for resetting the password to an address, if an account has it. It fails with
// [ErrAddress], [ErrOrgDeactivated], [ErrNoPasswords], [ErrTries], [ErrUnavailable], [org.ErrInvalidSubdomain] or [mail.ErrOff].
// None of these depends on whether there is an account.
func (s *Service) RequestReset(ctx context.Context, r Request) error {
	o, email, err := s.Asked(ctx, r)
	if err != nil {
		return err
	}
	if !o.Settings.AuthenticationMethods["Email"] {
		return ErrNoPasswords
	}
	return s.DB.Write(ctx, o.ID, func(tx *store.Tx) error { return s.resetMail().Add(ctx, tx, email, struct{}{}) })
}

// Asked checks and counts a request for a mail (rest-api.md, section 1.6, password_reset_form_by_email). It returns the organization
// and the address, and fails with [ErrAddress], [ErrOrgDeactivated], [ErrTries], [ErrUnavailable], [org.ErrInvalidSubdomain] or
// [mail.ErrOff].
func (s *Service) Asked(ctx context.Context, r Request) (o org.Org, email string, err error) {
	email = strings.TrimSpace(r.Email)
	if !user.ValidEmail(email) {
		return org.Org{}, "", ErrAddress
	}
	o, err = s.Orgs.ByHost(ctx, r.Host)
	switch {
	case err != nil:
		return org.Org{}, "", err
	case o.Deactivated:
		return org.Org{}, "", ErrOrgDeactivated
	}
	return o, email, s.CountRequest(ctx, o.ID, r.Network, email)
}

// CountRequest counts a request for a mail to an address. It fails with [ErrTries], [ErrUnavailable] or [mail.ErrOff].
func (s *Service) CountRequest(ctx context.Context, in id.Org, from netip.Prefix, email string) error {
	if !s.Mail {
		return mail.ErrOff
	}
	if from.IsValid() {
		if err := tooMany(s.RequestsFrom.Count(ctx, from.String())); err != nil {
			return err
		}
	}
	if err := tooMany(s.Requests.Count(ctx, triesAt(in, email))); err != nil {
		return err
	}
	return tooMany(s.RequestsADay.Count(ctx, triesAt(in, email)))
}

// CountAddress counts a request whose refusal shows whether others have an address, such as a caller's to have it. An account may make as
// many of each kind as a network may request mails: whoever sends mail in somebody's name doesn't hinder what they do themselves. It fails
// with [ErrTries] or [ErrUnavailable].
func (s *Service) CountAddress(ctx context.Context, who actor.Actor, kind string) error {
	return tooMany(s.RequestsFrom.Count(ctx, fmt.Sprintf("account %d:%d, %s", who.Org(), who.User, kind)))
}

// reader returns an account to which a mail is sent, as find finds it, with its organization. ok is false if no mail is sent.
func (s *Service) reader(
	ctx context.Context, tx *store.Tx, find func() (user.User, error),
) (o org.Org, found user.User, ok bool, err error) {
	if o, err = s.Orgs.Load(ctx, tx); err != nil || o.Deactivated {
		return o, found, false, err
	}
	found, err = find()
	if errors.Is(err, user.ErrNoSuchUser) {
		return o, found, false, nil
	}
	return o, found, err == nil && found.Active && !found.IsBot(), err
}

// byAddress returns what finds an account by its address, for [Service.reader].
func byAddress(ctx context.Context, tx *store.Tx, email string) func() (user.User, error) {
	return func() (user.User, error) { return user.ByRealEmail(ctx, tx, email) }
}

// byID returns what finds an account by its id, for [Service.reader].
func byID(ctx context.Context, tx *store.Tx, of id.User) func() (user.User, error) {
	return func() (user.User, error) { return user.ByID(ctx, tx, of) }
}

func (s *Service) composeReset(ctx context.Context, tx *store.Tx, email string, _ struct{}) (*mail.Letter, error) {
	o, found, ok, err := s.reader(ctx, tx, byAddress(ctx, tx, email))
	if err != nil || !ok {
		return nil, err
	}
	hash, err := storedPassword(ctx, tx, found.ID)
	if err != nil {
		return nil, err
	}
	token, err := resetLink().Make(ctx, tx, resetState{found.ID, fingerprint(hash, found.RealEmail)}, s.Now())
	if err != nil {
		return nil, err
	}
	in := found.Settings.Texts()
	return to(found, mail.NewLetter(in, o.Name, in.Mail.ResetPassword(o.Name, o.URI, found.RealEmail), o.URI+ResetPath+token)), nil
}

// to addresses a letter to the account's stored address, never to the requested one, which the database may only consider equal.
func to(reader user.User, letter *mail.Letter) *mail.Letter {
	letter.To = reader.RealEmail
	return letter
}

// ReadReset returns the account whose password a link resets. It fails with [mail.ErrNoLink].
func (s *Service) ReadReset(ctx context.Context, in id.Org, token string) (user.User, error) {
	return store.Read(ctx, s.DB, in, func(tx *store.Tx) (user.User, error) {
		state, err := resetLink().Read(ctx, tx, token, s.Now())
		if err != nil {
			return user.User{}, err
		}
		return resetting(ctx, tx, state)
	})
}

// resetting returns the account of a link. It fails with [mail.ErrNoLink] if the link is void.
func resetting(ctx context.Context, tx *store.Tx, state resetState) (user.User, error) {
	of, err := user.ByID(ctx, tx, state.User)
	if errors.Is(err, user.ErrNoSuchUser) || err == nil && !of.Active {
		return user.User{}, mail.ErrNoLink
	}
	if err != nil {
		return user.User{}, err
	}
	hash, err := storedPassword(ctx, tx, of.ID)
	if err == nil && fingerprint(hash, of.RealEmail) != state.Before {
		err = mail.ErrNoLink
	}
	return of, err
}

// Reset replaces the password of a link's account, signs out all programs, sends a mail about it, and returns the account's address.
// It fails with [mail.ErrNoLink], [ErrWeak], [password.ErrTooLong] or [password.ErrBusy].
func (s *Service) Reset(ctx context.Context, in id.Org, token, chosen string) (email string, err error) {
	of, err := s.ReadReset(ctx, in, token)
	if err != nil {
		return "", err
	}
	hash, err := s.NewPassword(ctx, chosen, of.RealEmail, of.FullName)
	if err != nil {
		return "", err
	}
	err = s.DB.Write(ctx, in, func(tx *store.Tx) error {
		if err := tx.LockUser(ctx, int64(of.ID)); err != nil {
			return err
		}
		state, err := resetLink().Use(ctx, tx, token, s.Now())
		if err != nil {
			return err
		}
		if _, err := resetting(ctx, tx, state); err != nil {
			return err
		}
		before, err := storedPassword(ctx, tx, of.ID)
		if err != nil {
			return err
		}
		return s.replacePassword(ctx, tx, of.ID, of.RealEmail, before, hash, 0)
	})
	if err == nil {
		s.forget(ctx, triesAt(in, of.RealEmail))
	}
	return of.RealEmail, err
}

// Stamp identifies the credentials of an account: its address, password and API key. It changes with each of them.
func Stamp(ctx context.Context, tx *store.Tx, of id.User) (string, error) {
	row, err := tx.CredentialsOf(ctx, of)
	return fingerprint(row.PasswordHash, row.Email, hex.EncodeToString(row.APIKeyHash)), err
}

// fingerprint returns a hash of texts that must not be stored a second time, such as a password's hash.
func fingerprint(of ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(of, "\x00")))
	return hex.EncodeToString(sum[:8])
}
