package invite

import (
	"context"
	"errors"
	"time"

	"chatserver.dev/pkg/account"
	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/login"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/user"
)

const (
	// life is the lifetime of an invitation, and day the period of the limits on invitations.
	life = account.InvitationLife
	day  = 24 * time.Hour
	// maxAtOnce is the maximum number of people that one call invites, and maxStreams that of the streams that they join.
	maxAtOnce  = 100
	maxStreams = 100
	// maxPerDay is the maximum number of invitations that all accounts of an organization send in a day, and maxOwnPerDay that of one
	// account. Those that were withdrawn or accepted since count, and so does each mail that is sent again.
	maxPerDay    = 1000
	maxOwnPerDay = 200
	// maxPerDayWhereOpen replaces maxPerDay on servers where anyone may sign up an organization (rest-api.md, section
	// 9).
	maxPerDayWhereOpen = 100
	// maxLinks is the maximum number of links for anyone in an organization.
	maxLinks = 100
	// oldEnough is the minimum age of an account that may invite people to an organization that requires no invitation.
	oldEnough = 3 * day
)

// Faults (rest-api.md, section 5.11).
var (
	ErrRole      = fault.Plain("Must be invited as an valid type of user")
	ErrAdminRole = fault.Plain("Must be an organization administrator")
	ErrNobody    = fault.Plain("You must specify at least one email address.")
	ErrNoStream  = fault.Plain("You must specify at least one stream for invitees to join.")
	ErrStream    = fault.Plain("Stream does not exist with id: %d. No invites were sent.")
	// ErrLinkStream is ErrStream for links for anyone.
	ErrLinkStream = fault.Plain("Invalid stream id %d. No invites were sent.")
	ErrUnknown    = fault.Bad("No such invitation")
	ErrNotYours   = fault.Bad("Must be an organization administrator")
	// ErrTooMany says that a call exceeds its limits. The reference server has no such limits.
	ErrTooMany   = fault.Bad("A call can invite at most 100 people to at most 100 streams (sent: %d people, %d streams).")
	ErrLinks     = fault.Bad("An organization can have at most 100 links to join by. Remove some first.")
	ErrInvalid   = failed("Some emails did not validate, so we didn't send any invitations.")
	ErrAllExist  = failed("We weren't able to invite anyone.")
	ErrSomeExist = failed("Some of those addresses are already using Chatserver, so we didn't send them an invitation. We did send invitations to everyone else!").
			With("sent_invitations", true)
	ErrNew   = failed("Your account is too new to send invites for this organization. Ask an organization admin, or a more experienced user.")
	ErrQuota = failed("Too many invitations were sent today, so we didn't send any. Try again tomorrow, or ask the server's administrators for a higher limit.")
)

func failed(msg string) *fault.Fault {
	return fault.New(fault.Invalid, "INVITATION_FAILED", msg).With("errors", []any{}).With("sent_invitations", false)
}

// Deps are the dependencies of a [Service].
type Deps struct {
	DB       *store.DB
	Orgs     *org.Service
	Accounts *account.Service
	Logins   *login.Service
	Now      func() time.Time
	// Mail says whether the server sends mail, and Open whether anyone may sign up an organization.
	Mail, Open bool
}

// Service invites people. It is safe for concurrent use.
type Service struct{ Deps }

// New makes the service.
func New(d Deps) *Service { return &Service{d} }

// Invitation is one that hasn't been accepted so far. One for an address has a member email, a link for anybody a member
// link_url if the caller may invite people with its role.
type Invitation struct {
	ID      int64      `json:"id"`                 // see DELETE /invites/{prereg_id} and DELETE /invites/multiuse/{invite_id}
	Email   string     `json:"email,omitempty"`    // who is invited
	Inviter id.User    `json:"invited_by_user_id"` // who invited
	Invited int64      `json:"invited"`            // when, in Unix seconds
	As      actor.Role `json:"invited_as"`         // the role of the account to come: 100, 200, 400 or 600
	LinkURL string     `json:"link_url,omitempty"` // what to open; absent if the account would have a higher role than the caller
	Reused  bool       `json:"is_multiuse"`        // whether it is a link for anybody
}

// List returns the invitations of the last 10 days: all of them for administrators, otherwise those that the caller has sent by mail.
func (s *Service) List(ctx context.Context, who actor.Actor) (all []Invitation, err error) {
	err = s.DB.Read(ctx, who.Org(), func(tx *store.Tx) error {
		all = []Invitation{} // the transaction may be retried
		o, err := s.Orgs.Load(ctx, tx)
		if err != nil {
			return err
		}
		rows, err := tx.Invitations(ctx, s.since(), who.Role.IsAdmin(), who.User)
		for _, row := range rows {
			one := Invitation{ID: row.InvitationID, Inviter: row.InviterID, Invited: row.InvitedAt.Unix(), As: row.Role}
			if row.Link != nil {
				one.Reused = true
				if row.Role >= who.Role { // otherwise an administrator could become an owner with an owner's link
					one.LinkURL = o.URI + LinkPath + *row.Link
				}
			} else {
				one.Email = *row.Email
			}
			all = append(all, one)
		}
		return err
	})
	return all, err
}

// since returns the earliest time at which a valid invitation was sent.
func (s *Service) since() time.Time { return s.Now().Add(-life) }

// counted returns the time since which mails count for the limits per day.
func (s *Service) counted() time.Time { return s.Now().Add(-day) }

// Offer has the role and the streams that people are invited to.
type Offer struct {
	As      actor.Role
	Streams []id.Stream
}

// checkRole fails if the caller may not invite people with a role.
func checkRole(who actor.Actor, as actor.Role) error {
	switch as {
	case actor.Owner:
		if who.Role != actor.Owner {
			return permit.ErrNotOwner
		}
	case actor.Administrator:
		if !who.Role.IsAdmin() {
			return ErrAdminRole
		}
	case actor.Member, actor.Guest:
	default:
		return ErrRole
	}
	return nil
}

// Withdraw withdraws an invitation. link says whether it is a link for anyone or an invitation by mail. It fails with [ErrUnknown],
// [permit.ErrNotOwner] or [ErrNotYours].
func (s *Service) Withdraw(ctx context.Context, who actor.Actor, invitation int64, link bool) error {
	may := permit.Member
	if link {
		may = permit.Admin
	}
	return s.write(ctx, who, may, func(tx *store.Tx, who actor.Actor) error {
		if _, err := s.own(ctx, tx, who, invitation, link); err != nil {
			return err
		}
		if err := tx.EndInvitation(ctx, invitation); err != nil {
			return err
		}
		return tx.Emit(ctx, event.InvitesChanged{})
	})
}

// write runs a change of an organization's invitations, with the caller as it is now: what somebody sends who may no longer do so would
// be valid as soon as they may again. It fails with the errors of [user.Current] and of may.
func (s *Service) write(
	ctx context.Context, who actor.Actor, may permit.Who, work func(tx *store.Tx, who actor.Actor) error,
) error {
	return s.DB.Write(ctx, who.Org(), func(tx *store.Tx) error {
		if err := errors.Join(tx.LockAccounts(ctx), tx.LockInvitations(ctx)); err != nil {
			return err
		}
		now, err := user.Current(ctx, tx, who)
		if err == nil {
			err = may.Check(now)
		}
		if err != nil {
			return err
		}
		return work(tx, now)
	})
}

// own returns an invitation if the caller may withdraw it or send it again.
func (s *Service) own(ctx context.Context, tx *store.Tx, who actor.Actor, invitation int64, link bool) (sqlc.Invitation, error) {
	row, err := tx.Invitation(ctx, invitation, s.since())
	switch {
	case store.IsNotFound(err) || err == nil && (row.Link != nil) != link:
		return row, ErrUnknown
	case err != nil || row.InviterID == who.User:
		return row, err
	case row.Role == actor.Owner && who.Role != actor.Owner:
		return row, permit.ErrNotOwner
	case !who.Role.IsAdmin():
		return row, ErrNotYours
	default:
		return row, nil
	}
}
