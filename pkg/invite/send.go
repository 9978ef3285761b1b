package invite

import (
	"context"
	"slices"
	"strings"

	"chatserver.dev/pkg/account"
	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/mail"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/stream"
)

// Send invites people by mail. addresses are separated by commas or line feeds, each alone or as in "Ada <ada@corp.example>". It
// fails with the faults of this package, [permit.ErrNotAdmin], [permit.ErrNotOwner] or [mail.ErrOff]. If it fails with [ErrSomeExist],
// it has invited the others.
func (s *Service) Send(ctx context.Context, who actor.Actor, addresses string, offer Offer) error {
	emails, skipped := parse(addresses), error(nil)
	err := s.write(ctx, who, permit.Member, func(tx *store.Tx, who actor.Actor) error {
		o, err := s.Orgs.Load(ctx, tx)
		if err != nil {
			return err
		}
		if err := s.mayInvite(ctx, tx, o, who, len(emails), offer); err != nil {
			return err
		}
		fit, problems, err := sorted(ctx, tx, o, emails)
		switch {
		case err != nil:
			return err
		case problems.invalid():
			return ErrInvalid.With("errors", problems.list())
		case len(fit) == 0:
			return ErrAllExist.With("errors", problems.list())
		}
		if skipped = nil; len(problems) > 0 {
			skipped = ErrSomeExist.With("errors", problems.list())
		}
		return s.add(ctx, tx, who, fit, offer)
	})
	if err != nil {
		return err
	}
	return skipped
}

// mayInvite checks everything but the addresses.
func (s *Service) mayInvite(ctx context.Context, tx *store.Tx, o org.Org, who actor.Actor, people int, offer Offer) error {
	if o.Settings.InviteByAdminsOnly && !who.Role.IsAdmin() {
		return permit.ErrNotAdmin
	}
	if err := checkRole(who, offer.As); err != nil {
		return err
	}
	switch {
	case people == 0:
		return ErrNobody
	case len(offer.Streams) == 0:
		return ErrNoStream
	case people > maxAtOnce || len(offer.Streams) > maxStreams:
		return ErrTooMany.Format(people, len(offer.Streams))
	}
	if err := visible(ctx, tx, who, offer.Streams, ErrStream); err != nil {
		return err
	}
	if !s.Mail {
		return mail.ErrOff
	}
	if err := s.quota(ctx, tx, who, people); err != nil {
		return err
	}
	if !o.Settings.InviteRequired && !who.Role.IsAdmin() && s.Now().Sub(who.Joined) < oldEnough {
		return ErrNew
	}
	return nil
}

// visible fails with the fault unless, formatted with the stream's id, if the caller can't see one of the
// streams.
func visible(ctx context.Context, tx *store.Tx, who actor.Actor, streams []id.Stream, unless *fault.Fault) error {
	for _, one := range streams {
		found, err := stream.ByID(ctx, tx, who, one)
		switch {
		case fault.Of(err) != nil || err == nil && found.Deactivated:
			return unless.Format(one)
		case err != nil:
			return err
		}
	}
	return nil
}

// quota fails with [ErrQuota] if the given number of further invitations would exceed a limit per day.
func (s *Service) quota(ctx context.Context, tx *store.Tx, who actor.Actor, more int) error {
	sent, err := tx.CountInvitations(ctx, who.User, s.counted())
	limit := int64(maxPerDay)
	if s.Open {
		limit = maxPerDayWhereOpen
	}
	if err == nil && (sent.Everybodys+int64(more) > limit || sent.Own+int64(more) > maxOwnPerDay) {
		return ErrQuota
	}
	return err
}

// parse returns the addresses in a text that the inviter typed, each once.
func parse(typed string) []string {
	emails, known := []string(nil), map[string]bool{}
	for part := range strings.FieldsFuncSeq(typed, func(r rune) bool { return r == ',' || r == '\n' }) {
		email := strings.TrimSpace(part)
		if open, end := strings.LastIndexByte(email, '<'), len(email)-1; open >= 0 && email[end] == '>' {
			email = strings.TrimSpace(email[open+1 : end])
		}
		if key := strings.ToLower(email); email != "" && !known[key] {
			known[key] = true
			emails = append(emails, email)
		}
	}
	return emails
}

// problem is the reason why an address can't be invited.
type problem struct {
	email string
	fault *fault.Fault
}

type problems []problem

// sorted returns the addresses that can be invited, and the problems of the others.
func sorted(ctx context.Context, tx *store.Tx, o org.Org, emails []string) (fit []string, wrong problems, err error) {
	for _, email := range emails {
		err := account.CheckAddress(ctx, tx, o, email)
		f := fault.Of(err)
		switch {
		case err == nil:
			fit = append(fit, email)
		case f == nil || f.Kind >= fault.Internal:
			return nil, nil, err
		default:
			wrong = append(wrong, problem{email, f})
		}
	}
	return fit, wrong, nil
}

// exists reports whether the problem is that the account already exists, rather than an invalid address.
func (p problem) exists() bool {
	return p.fault.Is(account.ErrAddressTaken) || p.fault.Is(account.ErrAddressDeactivated) || p.fault.Is(account.ErrAddressReserved)
}

// invalid reports whether an address is invalid.
func (all problems) invalid() bool {
	return slices.ContainsFunc(all, func(p problem) bool { return !p.exists() })
}

// list returns the problems in the form for clients, invalid addresses first.
func (all problems) list() []any {
	list := []any{}
	for _, existing := range []bool{false, true} {
		for _, p := range all {
			if p.exists() == existing {
				list = append(list, []any{p.email, p.fault, p.fault.Is(account.ErrAddressDeactivated)})
			}
		}
	}
	return list
}

// add stores invitations and their mails.
func (s *Service) add(ctx context.Context, tx *store.Tx, who actor.Actor, emails []string, offer Offer) error {
	if err := tx.ForgetInvitations(ctx, s.since(), s.counted()); err != nil {
		return err
	}
	rows, err := tx.AddInvitations(ctx, sqlc.AddInvitationsParams{
		InviterID: who.User, Emails: emails, Role: offer.As, Streams: id.Convert[int64](offer.Streams),
	})
	if err != nil {
		return err
	}
	to := lists.Map(rows, func(row sqlc.Invitation) string { return *row.Email })
	states := lists.Map(rows, func(row sqlc.Invitation) invited { return invited{Invitation: row.InvitationID} })
	if err := s.invitationMail().AddAll(ctx, tx, to, states); err != nil {
		return err
	}
	return tx.Emit(ctx, event.InvitesChanged{})
}

// Resend sends an invitation again and returns the time in Unix seconds. The invitation is valid for 10 days from then on. It fails with
// [ErrUnknown], [permit.ErrNotOwner], [ErrNotYours], [ErrQuota] or [mail.ErrOff].
func (s *Service) Resend(ctx context.Context, who actor.Actor, invitation int64) (at int64, err error) {
	if !s.Mail {
		return 0, mail.ErrOff
	}
	err = s.write(ctx, who, permit.Member, func(tx *store.Tx, who actor.Actor) error {
		row, err := s.own(ctx, tx, who, invitation, false)
		if err != nil {
			return err
		}
		if err := s.quota(ctx, tx, who, 1); err != nil {
			return err
		}
		renewed, err := tx.RenewInvitation(ctx, s.counted(), invitation)
		if err != nil {
			return err
		}
		at = renewed.Unix()
		return s.invitationMail().Add(ctx, tx, *row.Email, invited{Invitation: invitation})
	})
	return at, err
}

// MakeLink creates a link for anyone and returns its address. The caller has to be an administrator. It fails with [ErrRole],
// [permit.ErrNotOwner], [ErrLinkStream], [ErrTooMany] or [ErrLinks].
func (s *Service) MakeLink(ctx context.Context, who actor.Actor, offer Offer) (address string, err error) {
	err = s.write(ctx, who, permit.Admin, func(tx *store.Tx, who actor.Actor) error {
		if err := checkRole(who, offer.As); err != nil {
			return err
		}
		if len(offer.Streams) > maxStreams {
			return ErrTooMany.Format(0, len(offer.Streams))
		}
		o, err := s.Orgs.Load(ctx, tx)
		if err != nil {
			return err
		}
		if err := visible(ctx, tx, who, offer.Streams, ErrLinkStream); err != nil {
			return err
		}
		made, err := tx.CountInvitationLinks(ctx, s.since())
		switch {
		case err != nil:
			return err
		case made >= maxLinks:
			return ErrLinks
		}
		if err := tx.ForgetInvitations(ctx, s.since(), s.counted()); err != nil {
			return err
		}
		link := newLink()
		err = tx.AddInvitationLink(ctx, sqlc.AddInvitationLinkParams{
			InviterID: who.User, Link: link, Role: offer.As, Streams: id.Convert[int64](offer.Streams),
		})
		if err != nil {
			return err
		}
		address = o.URI + LinkPath + link
		return tx.Emit(ctx, event.InvitesChanged{})
	})
	return address, err
}
