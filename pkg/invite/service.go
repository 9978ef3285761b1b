package invite

import (
	"context"
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
)

const (
	// life is how long an invitation is valid, and day is what invitations are counted in.
	life = account.InvitationLife
	day  = 24 * time.Hour
	// mostAtOnce is how many people one call invites, and mostStreams how many streams they join.
	mostAtOnce  = 100
	mostStreams = 100
	// mostADay is how many invitations all accounts of an organization send in a day, and mostOwnADay how many one sends.
	mostADay    = 1000
	mostOwnADay = 200
	// mostADayWhereOpen is mostADay on servers where anybody may sign up an organization (rest-api.md, section
	// 9).
	mostADayWhereOpen = 100
	// mostLinks is how many links for anybody an organization has.
	mostLinks = 100
	// oldEnough is the age of accounts that may invite into organizations where no invitation is needed, in days.
	oldEnough = 3 * day
)

// Faults (rest-api.md, section 5.11).
var (
	ErrRole      = fault.Plain("Must be invited as an valid type of user")
	ErrAdminRole = fault.Plain("Must be an organization administrator")
	ErrNobody    = fault.Plain("You must specify at least one email address.")
	ErrNoStream  = fault.Plain("You must specify at least one stream for invitees to join.")
	ErrStream    = fault.Plain("Stream does not exist with id: %d. No invites were sent.")
	// ErrLinkStream is ErrStream for links that anybody may join by.
	ErrLinkStream = fault.Plain("Invalid stream id %d. No invites were sent.")
	ErrUnknown    = fault.Bad("No such invitation")
	ErrNotYours   = fault.Bad("Must be an organization administrator")
	// ErrTooMany names the limits of a call, which the reference lacks.
	ErrTooMany   = fault.Bad("A call can invite at most 100 people to at most 100 streams (sent: %d people, %d streams).")
	ErrLinks     = fault.Bad("An organization can have at most 100 links to join by. Remove some first.")
	ErrInvalid   = failed("Some emails did not validate, so we didn't send any invitations.")
	ErrAllExist  = failed("We weren't able to invite anyone.")
	ErrSomeExist = failed("Some of those addresses are already using Chatserver, so we didn't send them an invitation. We did send invitations to everyone else!").
			With("sent_invitations", true)
	ErrNew   = failed("Your account is too new to send invites for this organization. Ask an organization admin, or a more experienced user.")
	ErrQuota = failed("Too many invitations were sent today, so we didn't send any. Try again tomorrow, or ask who runs this server.")
)

func failed(msg string) *fault.Fault {
	return fault.New(fault.Invalid, "INVITATION_FAILED", msg).With("errors", []any{}).With("sent_invitations", false)
}

// Deps are what a [Service] works with.
type Deps struct {
	DB       *store.DB
	Orgs     *org.Service
	Accounts *account.Service
	Logins   *login.Service
	Now      func() time.Time
	// Mail says whether the server sends mail, and Open whether anybody may found an organization.
	Mail, Open bool
}

// Service invites people. It is safe for concurrent use.
type Service struct{ Deps }

// New makes the service.
func New(d Deps) *Service { return &Service{d} }

// Invitation is one that hasn't been accepted so far. One for an address has a member email, a link for anybody a member
// link_url.
type Invitation struct {
	ID      int64      `json:"id"`                 // see DELETE /invites/{prereg_id} and DELETE /invites/multiuse/{invite_id}
	Email   string     `json:"email,omitempty"`    // who is invited
	Inviter id.User    `json:"invited_by_user_id"` // who invited
	Invited int64      `json:"invited"`            // when, in Unix seconds
	As      actor.Role `json:"invited_as"`         // the role of the account to come: 100, 200, 400 or 600
	LinkURL string     `json:"link_url,omitempty"` // what to open
	Reused  bool       `json:"is_multiuse"`        // whether it is a link for anybody
}

// List returns the invitations of the last 10 days: administrators see all, others those that they sent by mail.
func (s *Service) List(ctx context.Context, who actor.Actor) (all []Invitation, err error) {
	err = s.DB.Read(ctx, who.Org(), func(tx *store.Tx) error {
		all = []Invitation{} // the transaction may be tried again
		o, err := s.Orgs.Load(ctx, tx)
		if err != nil {
			return err
		}
		rows, err := tx.Invitations(ctx, s.since(), who.Role.IsAdmin(), who.User)
		for _, row := range rows {
			one := Invitation{ID: row.InvitationID, Inviter: row.InviterID, Invited: row.InvitedAt.Unix(), As: row.Role}
			if row.Link != nil {
				one.LinkURL, one.Reused = o.URI+LinkPath+*row.Link, true
			} else {
				one.Email = *row.Email
			}
			all = append(all, one)
		}
		return err
	})
	return all, err
}

// since is when the oldest invitations that are valid were sent.
func (s *Service) since() time.Time { return s.Now().Add(-life) }

// Offer is what people are invited to.
type Offer struct {
	As      actor.Role
	Streams []id.Stream
}

// checkRole fails if somebody may not invite people with a role.
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

// Withdraw ends an invitation: a link for anybody, or one for an address. It fails with [ErrUnknown], [permit.ErrNotOwner] or
// [ErrNotYours].
func (s *Service) Withdraw(ctx context.Context, who actor.Actor, invitation int64, link bool) error {
	return s.DB.Write(ctx, who.Org(), func(tx *store.Tx) error {
		if err := tx.LockInvitations(ctx); err != nil {
			return err
		}
		if _, err := s.own(ctx, tx, who, invitation, link); err != nil {
			return err
		}
		if err := tx.EndInvitation(ctx, invitation); err != nil {
			return err
		}
		return tx.Emit(ctx, event.InvitesChanged{})
	})
}

// own returns an invitation that somebody may withdraw or send again.
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
