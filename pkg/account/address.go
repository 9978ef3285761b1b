package account

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/login"
	"chatserver.dev/pkg/mail"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/user"
)

// Reasons why an account can't have an address (rest-api.md, sections 4.4 and 5.11).
var (
	ErrAddress            = fault.Plain("Invalid address.")
	ErrAddressTaken       = fault.Plain("Already has an account.")
	ErrAddressDeactivated = fault.Plain("Account has been deactivated.")
	ErrAddressReserved    = fault.Plain("Reserved for system bots.")
	ErrAddressOutside     = fault.Plain("Outside your domain.")
	ErrAddressDisposable  = fault.Plain("Please use your real email address.")
	// ErrAddressFixed says that only administrators may change addresses in the organization.
	ErrAddressFixed = fault.Plain("Email address changes are disabled in this organization.")
)

// CheckAddress checks whether the organization's settings allow an address for a new account or as a new address. It fails with
// one of the faults above or [ErrPlus].
func CheckAddress(ctx context.Context, tx *store.Tx, o org.Org, email string) error {
	if !user.ValidEmail(email) {
		return ErrAddress
	}
	found, err := user.ByRealEmail(ctx, tx, email)
	switch {
	case errors.Is(err, user.ErrNoSuchUser):
		return checkDomain(ctx, tx, o, email)
	case err != nil:
		return err
	case found.System:
		return ErrAddressReserved
	case !found.Active:
		return ErrAddressDeactivated
	default:
		return ErrAddressTaken
	}
}

// checkDomain returns the reason why the organization's settings don't allow an address.
func checkDomain(ctx context.Context, tx *store.Tx, o org.Org, email string) error {
	if isReserved(o, email) {
		return ErrAddressReserved
	}
	err := org.CheckEmail(ctx, tx, o, email)
	switch {
	case errors.Is(err, org.ErrOutside):
		return ErrAddressOutside
	case errors.Is(err, org.ErrDisposable):
		return ErrAddressDisposable
	case errors.Is(err, org.ErrPlus):
		return ErrPlus
	}
	return err
}

// isReserved reports whether an address is that of the email gateway, whose account is created for the first mail that comes in.
func isReserved(o org.Org, email string) bool {
	return strings.EqualFold(email, user.Gateway+"@"+o.Domain)
}

// ConfirmPath is the path, at the organization's host, of the page to confirm a new address. A link's token follows it.
const ConfirmPath = "/confirm/"

// askedForConfirmation is the answer to a request for another address.
const askedForConfirmation = "Check your email for a confirmation link."

// addressState is a request for a new address of an account.
type addressState struct {
	User  id.User `json:"user"`
	Email string  `json:"email"`
	// Stamp is [login.Stamp] of the account at the time of the request. A change of credentials voids the request, so that an
	// intruder who was locked out can't confirm it.
	Stamp string `json:"stamp,omitempty"`
}

func addressLink() mail.Link[addressState] {
	return mail.NewLink[addressState]("address", 24*time.Hour)
}

// addressMail asks for confirmation at the new address.
func (s *Service) addressMail() mail.Kind[addressState] {
	return mail.NewKind("address", s.composeAddress)
}

// goneMail reports the change at the previous address.
func (s *Service) goneMail() mail.Kind[addressState] {
	return mail.NewKind("address gone", s.composeGone)
}

// Mails returns the kinds of mail that the service sends.
func (s *Service) Mails() []mail.Composer {
	return []mail.Composer{s.addressMail(), s.goneMail(), s.greetingMail()}
}

// mayChangeAddress counts the request, and fails if the caller may not have this address.
func (s *Service) mayChangeAddress(ctx context.Context, who actor.Actor, email string) error {
	if err := s.Logins.CountAddress(ctx, who, "new address"); err != nil {
		return err
	}
	err := s.DB.Read(ctx, who.Org(), func(tx *store.Tx) error {
		o, err := s.Orgs.Load(ctx, tx)
		if err == nil {
			err = checkFixed(o, who.Role)
		}
		if err != nil {
			return err
		}
		return CheckAddress(ctx, tx, o, email)
	})
	if err != nil {
		return err
	}
	return s.Logins.CountRequest(ctx, who.Org(), netip.Prefix{}, who.RealEmail)
}

// checkFixed fails if the organization doesn't allow accounts of a role to change their address.
func checkFixed(o org.Org, role actor.Role) error {
	if o.Settings.EmailChangesDisabled && !role.IsAdmin() {
		return ErrAddressFixed
	}
	return nil
}

// askForAddress sends a link to the caller's new address. The address changes when the link is opened.
func (s *Service) askForAddress(ctx context.Context, who actor.Actor, email string) error {
	return s.DB.Write(ctx, who.Org(), func(tx *store.Tx) error {
		stamp, err := login.Stamp(ctx, tx, who.User)
		if err != nil {
			return err
		}
		// If the caller's key is valid now, the stamp is of that key or an older one.
		if _, err := user.Current(ctx, tx, who); err != nil {
			return err
		}
		return s.addressMail().Add(ctx, tx, email, addressState{who.User, email, stamp})
	})
}

func (s *Service) composeAddress(ctx context.Context, tx *store.Tx, _ string, state addressState) (*mail.Letter, error) {
	o, of, err := s.asking(ctx, tx, state)
	if errors.Is(err, mail.ErrNoLink) || errors.Is(err, ErrAddressFixed) {
		return nil, nil //nolint:nilnil // the request is void
	}
	if err != nil {
		return nil, err
	}
	token, err := addressLink().Make(ctx, tx, state, s.Now())
	if err != nil {
		return nil, err
	}
	in := of.Settings.Texts()
	return mail.NewLetter(in, o.Name, in.Mail.ConfirmAddress(o.Name, o.URI, of.RealEmail), o.URI+ConfirmPath+token), nil
}

func (s *Service) composeGone(ctx context.Context, tx *store.Tx, _ string, state addressState) (*mail.Letter, error) {
	o, of, err := s.active(ctx, tx, state.User)
	if err != nil || of.ID == 0 {
		return nil, err
	}
	in := of.Settings.Texts()
	return mail.NewLetter(in, o.Name, in.Mail.AddressChanged(o.Name, o.URI, state.Email), ""), nil
}

// active returns an account with its organization. If one of them isn't active, the account is the zero value.
func (s *Service) active(ctx context.Context, tx *store.Tx, account id.User) (org.Org, user.User, error) {
	o, err := s.Orgs.Load(ctx, tx)
	if err != nil || o.Deactivated {
		return o, user.User{}, err
	}
	of, err := user.ByID(ctx, tx, account)
	if errors.Is(err, user.ErrNoSuchUser) || err == nil && !of.Active {
		return o, user.User{}, nil
	}
	return o, of, err
}

// asking returns the account whose address is to change, with its organization. It fails with [mail.ErrNoLink] if one of them isn't
// active, or if the account's credentials have changed since the request, and with [ErrAddressFixed].
func (s *Service) asking(ctx context.Context, tx *store.Tx, state addressState) (org.Org, user.User, error) {
	o, of, err := s.active(ctx, tx, state.User)
	if err != nil {
		return o, of, err
	}
	if of.ID == 0 {
		return o, of, mail.ErrNoLink
	}
	stamp, err := login.Stamp(ctx, tx, of.ID)
	if err == nil && stamp != state.Stamp {
		err = mail.ErrNoLink
	}
	if err == nil {
		err = checkFixed(o, of.Role)
	}
	return o, of, err
}

// ReadConfirmation returns the address that a link confirms, and its account. It fails with [mail.ErrNoLink] or [ErrAddressFixed].
func (s *Service) ReadConfirmation(ctx context.Context, in id.Org, token string) (email string, of user.User, err error) {
	err = s.DB.Read(ctx, in, func(tx *store.Tx) error {
		state, err := addressLink().Read(ctx, tx, token, s.Now())
		if err != nil {
			return err
		}
		email = state.Email
		_, of, err = s.asking(ctx, tx, state)
		return err
	})
	return email, of, err
}

// ConfirmAddress changes an account's address to the one that a link confirms, and reports that to the previous one. It fails with
// [mail.ErrNoLink], [ErrAddressFixed], or the errors of [CheckAddress].
func (s *Service) ConfirmAddress(ctx context.Context, in id.Org, token string) error {
	err := s.DB.Write(ctx, in, func(tx *store.Tx) error {
		if err := tx.LockAccounts(ctx); err != nil {
			return err
		}
		state, err := addressLink().Read(ctx, tx, token, s.Now())
		if err != nil {
			return err
		}
		o, of, err := s.asking(ctx, tx, state)
		if err != nil {
			return err
		}
		if err := s.SetAddress(ctx, tx, o, of, state.Email); err != nil {
			return err
		}
		_, err = addressLink().Use(ctx, tx, token, s.Now())
		return err
	})
	if store.IsDuplicate(err) {
		return ErrAddressTaken // by a concurrent request
	}
	return err
}

// SetAddress changes an account's address, and reports that to the previous one if the server sends mail. It fails with the errors of
// [CheckAddress]. The error satisfies store.IsDuplicate if another account has just got the address. The caller has locked accounts
// (LockAccounts).
func (s *Service) SetAddress(ctx context.Context, tx *store.Tx, o org.Org, of user.User, email string) error {
	if err := CheckAddress(ctx, tx, o, email); err != nil {
		return err
	}
	if err := tx.LockUser(ctx, int64(of.ID)); err != nil {
		return err
	}
	if err := user.SetRealEmail(ctx, tx, o, of, email); err != nil || !s.Logins.Mail {
		return err
	}
	return s.goneMail().Add(ctx, tx, of.RealEmail, addressState{User: of.ID, Email: email})
}
