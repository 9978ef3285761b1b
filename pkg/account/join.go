package account

import (
	"context"
	"errors"
	"fmt"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/catalogue"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/login"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/steps"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/subscription"
	"chatserver.dev/pkg/user"
)

// Newcomer is a person who joins an organization.
type Newcomer struct {
	Draft
	Role      actor.Role
	Streams   []id.Stream // in place of the default streams; empty: the default streams
	InvitedBy id.User     // 0: nobody
	// NoPassword leaves the account without a password: its person signs in by an identity provider.
	NoPassword bool
	// Confirmed says that the person has confirmed the address, and so may be greeted there.
	Confirmed bool
}

// Join creates a newcomer's account, subscribes it to its first streams, welcomes the newcomer, and notifies the inviter and
// the stream for sign-ups. also, if it isn't nil, runs first in the transaction that creates the account, with accounts locked
// (LockAccounts). Join fails with the errors of also and of names, [user.ErrEmailInUse], [ErrWeak], password.ErrTooLong or
// password.ErrBusy. The caller has checked the address.
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
	left := int64(0)
	err = s.DB.Write(ctx, in, func(tx *store.Tx) error {
		if err := tx.LockAccounts(ctx); err != nil { // addresses aren't hidden meanwhile
			return err
		}
		o, err := s.Orgs.Load(ctx, tx)
		if err != nil {
			return err
		}
		if also != nil {
			if err := also(tx, o); err != nil {
				return err
			}
		}
		made, _, err := s.Users.Create(ctx, tx, o, user.Draft{RealEmail: n.Email, FullName: name, Role: n.Role})
		if err != nil {
			return err
		}
		if !n.NoPassword {
			err = login.SetPassword(ctx, tx, made.ID, hash, 0)
		}
		if err == nil {
			left, err = s.begin(ctx, tx, made.ID, n.Streams, n.InvitedBy, false)
		}
		if err == nil && n.Confirmed {
			err = s.greet(ctx, tx, o, made)
		}
		return err
	})
	if err != nil {
		return err
	}
	return s.Settle(ctx, in, left)
}

// settling is what is left to complete a new person's account.
type settling struct {
	subscription.FirstStreams

	Joined bool // FirstStreams is done
	Quiet  bool // nobody is welcomed or notified
}

// settlings is the kind of change that completes new accounts. The size of its steps is fixed.
func (s *Service) settlings() steps.Kind[settling] {
	return steps.NewKind("settle_account", 1, 1, s.settleMore)
}

// Kinds returns the kinds of changes that take several transactions.
func (s *Service) Kinds() []steps.Resumable { return []steps.Resumable{s.settlings()} }

// begin stores what is left to complete an account that the transaction has created.
func (s *Service) begin(ctx context.Context, tx *store.Tx, newcomer id.User, streams []id.Stream, inviter id.User, quiet bool) (left int64, err error) {
	first, err := subscription.FirstOf(ctx, tx, newcomer, streams, inviter)
	if err != nil {
		return 0, err
	}
	return s.settlings().Begin(ctx, tx, settling{FirstStreams: first, Quiet: quiet})
}

// Found stores what is left to complete the account of an owner that the transaction has created: its subscriptions to the streams or,
// if there are none, to the default streams. Nobody is notified. After the commit, the caller calls [Service.Settle] with the result.
func (s *Service) Found(ctx context.Context, tx *store.Tx, owner id.User, streams []id.Stream) (left int64, err error) {
	return s.begin(ctx, tx, owner, streams, 0, true)
}

// Settle completes a new person's account: it subscribes it to the streams of the invitation or, if there are none, to the default
// streams, welcomes the person, and notifies the inviter, if any, and the stream for sign-ups. left is what the transaction that created
// the account has stored; 0: nothing. If Settle is interrupted, a runner of [Service.Kinds] continues.
func (s *Service) Settle(ctx context.Context, in id.Org, left int64) error {
	return s.settlings().Await(ctx, s.DB, in, left, s.Now)
}

// settleMore is the step of a settling. An account that has been deactivated meanwhile is left as it is.
func (s *Service) settleMore(ctx context.Context, tx *store.Tx, left *settling, _ *steps.Pace) (done bool, err error) {
	u, err := user.ByID(ctx, tx, left.User)
	if err != nil || !u.Active {
		return true, err
	}
	if left.Joined {
		return true, s.welcome(ctx, tx, u, left.Inviter)
	}
	left.Joined, err = s.Subscriptions.JoinFirst(ctx, tx, &left.FirstStreams)
	return left.Joined && left.Quiet, err
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
