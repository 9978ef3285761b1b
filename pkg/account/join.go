package account

import (
	"context"
	"errors"
	"fmt"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/catalogue"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/login"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/user"
)

// settleTime is the timeout for completing a new account.
const settleTime = 20 * time.Second

// Newcomer is a person who joins an organization.
type Newcomer struct {
	Draft
	Role      actor.Role
	Streams   []id.Stream // in place of the default streams; empty: the default streams
	InvitedBy id.User     // 0: nobody
	// NoPassword leaves the account without a password: its person signs in by an identity provider.
	NoPassword bool
}

// Join creates a newcomer's account, subscribes it to its first streams, welcomes the newcomer, and notifies the inviter and
// the stream for sign-ups. also, if it isn't nil, runs first in the transaction that creates the account. Join fails with the errors
// of also and of names, [user.ErrEmailInUse], [ErrWeak], password.ErrTooLong or password.ErrBusy. The caller has checked the address.
func (s *Service) Join(ctx context.Context, in id.Org, n Newcomer, also func(tx *store.Tx, o org.Org) error) error {
	name, err := user.CheckName(n.FullName)
	if err != nil {
		return err
	}
	hash := ""
	if !n.NoPassword { // computing a hash takes longer than a transaction may
		if hash, err = NewPassword(ctx, s.Logins, n.Password, n.Email, name); err != nil {
			return err
		}
	}
	made := user.User{}
	err = s.DB.Write(ctx, in, func(tx *store.Tx) error {
		o, err := s.Orgs.Load(ctx, tx)
		if err != nil {
			return err
		}
		if also != nil {
			if err := also(tx, o); err != nil {
				return err
			}
		}
		if made, _, err = s.Users.Create(ctx, tx, o, user.Draft{RealEmail: n.Email, FullName: name, Role: n.Role}); err != nil {
			return err
		}
		if !n.NoPassword {
			err = login.SetPassword(ctx, tx, made.ID, hash, 0)
		}
		return err
	})
	if err != nil {
		return err
	}
	return s.Settle(ctx, in, made, n.Streams, n.InvitedBy)
}

// Settle completes a new person's account: it subscribes it to the streams or, if there are none, to the default streams, welcomes
// the person, and notifies the inviter, if any, and the stream for sign-ups. It does so even if ctx has ended, for example because the
// person has disconnected: nobody else would complete the account.
func (s *Service) Settle(ctx context.Context, in id.Org, newcomer user.User, streams []id.Stream, inviter id.User) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
	defer cancel()
	if err := s.Subscriptions.JoinFirst(ctx, in, newcomer.ID, streams, inviter); err != nil {
		return err
	}
	return s.DB.Write(ctx, in, func(tx *store.Tx) error { return s.welcome(ctx, tx, newcomer, inviter) })
}

// NewPassword is login.Service.NewPassword for a new account: it fails with [ErrWeak] in place of login.ErrWeak.
func NewPassword(ctx context.Context, logins *login.Service, chosen string, known ...string) (hash string, err error) {
	hash, err = logins.NewPassword(ctx, chosen, known...)
	if errors.Is(err, login.ErrWeak) {
		return "", ErrWeak
	}
	return hash, err
}

// welcome sends the messages to and about a newcomer.
func (s *Service) welcome(ctx context.Context, tx *store.Tx, newcomer user.User, inviter id.User) error {
	o, err := s.Orgs.Load(ctx, tx)
	if err != nil {
		return err
	}
	mention := fmt.Sprintf("@_**%s|%d**", newcomer.FullName, newcomer.ID)
	note, err := s.signupNote(ctx, tx, o, mention)
	if err != nil {
		return err
	}
	to := []id.User{newcomer.ID}
	says := []catalogue.Notice{func(in catalogue.Texts) string { return in.Notices.Welcome }}
	if inviter != 0 {
		to, says = append(to, inviter), append(says, func(in catalogue.Texts) string { return in.Notices.Accepted(mention) })
	}
	write, err := s.Messages.ToUsers(ctx, tx, to, says)
	if err != nil {
		return err
	}
	return errors.Join(note(ctx), write(ctx))
}

// signupNote renders the note about a newcomer, if the organization has a stream for it. send sends it.
func (s *Service) signupNote(ctx context.Context, tx *store.Tx, o org.Org, mention string) (send func(ctx context.Context) error, err error) {
	none, in := func(context.Context) error { return nil }, id.Stream(o.Settings.SignupNotificationsStreamID)
	if in <= 0 {
		return none, nil
	}
	if err := tx.HoldPlace(ctx, int64(in)); err != nil { // so that the stream doesn't change before the note is sent
		return nil, err
	}
	to, err := tx.StreamByID(ctx, 0, in)
	if store.IsNotFound(err) || err == nil && to.Stream.Deactivated {
		return none, nil
	}
	if err != nil {
		return nil, fmt.Errorf("find the stream for sign-ups: %w", err)
	}
	people, err := tx.CountPeople(ctx)
	if err != nil {
		return nil, err
	}
	return s.Messages.PrepareToStream(ctx, tx, in, func(in catalogue.Texts) (topic, text string) {
		return in.Notices.Signups, in.Notices.SignedUp(mention, int(people))
	})
}
