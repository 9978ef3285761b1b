package account

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/avatar"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/login"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/presence"
	"chatserver.dev/pkg/profile"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/subscription"
	"chatserver.dev/pkg/user"
)

// maxBotsPerStep is the maximum number of bots that one transaction deactivates.
const maxBotsPerStep = 50

// Faults (rest-api.md, sections 1.9, 4.3 and 4.4).
var (
	ErrEmail        = fault.Plain("Bad name or username")
	ErrOutside      = fault.Plain("Email '%s' not allowed in this organization")
	ErrDisposable   = fault.Plain("Disposable email addresses are not allowed in this organization")
	ErrPlus         = fault.Plain("Email addresses containing + are not allowed.")
	ErrWeak         = fault.Plain("The password is too weak.")
	ErrPermission   = fault.Bad("Insufficient permission")
	ErrRole         = fault.Bad("Invalid role")
	ErrOnlyOwner    = fault.Plain("The owner permission cannot be removed from the only organization owner.")
	ErrOnlyOwnerEnd = fault.Plain("Cannot deactivate the only organization owner")
	// ErrLastOwner says that the caller can't leave. Its member entity is the role whose last holder they are.
	ErrLastOwner = fault.New(fault.Invalid, "CANNOT_DEACTIVATE_LAST_USER", "Cannot deactivate the only organization owner.").
			With("entity", "organization owner").With("is_last_owner", true)
)

// Deps are the dependencies of a [Service].
type Deps struct {
	DB            *store.DB
	Orgs          *org.Service
	Users         *user.Service
	Subscriptions *subscription.Service
	Logins        *login.Service
	Messages      *message.Service
	Now           func() time.Time
	Profiles      *profile.Service
	Avatars       *avatar.Service
	Presence      *presence.Store
}

// Service administers accounts. It is safe for concurrent use. Methods that create or change accounts also fail with the
// errors of [user.Current].
type Service struct{ Deps }

// New makes the service.
func New(d Deps) *Service { return &Service{d} }

// Draft is a person's account to create.
type Draft struct {
	Email    string
	FullName string
	Password string
}

// Create creates an account for a person, and subscribes it to the default streams. The caller must be an administrator. It
// fails with the errors of [user.CheckName], [ErrEmail], [ErrOutside], [ErrDisposable], [ErrPlus], [user.ErrEmailInUse],
// [ErrWeak], password.ErrTooLong, or with [permit.ErrNotAdmin] if the caller is no longer an administrator.
func (s *Service) Create(ctx context.Context, who actor.Actor, draft Draft) error {
	if _, err := user.CheckName(draft.FullName); err != nil {
		return err
	}
	draft.Email = strings.TrimSpace(draft.Email)
	if !user.ValidEmail(draft.Email) {
		return ErrEmail
	}
	err := s.DB.Read(ctx, who.Org(), func(tx *store.Tx) error { return s.admit(ctx, tx, draft.Email) })
	if err != nil {
		return err
	}
	return s.Join(ctx, who.Org(), Newcomer{Draft: draft, Role: actor.Member}, func(tx *store.Tx, _ org.Org) error {
		now, err := user.Current(ctx, tx, who)
		if err == nil && !now.Role.IsAdmin() {
			err = permit.ErrNotAdmin
		}
		return err
	})
}

// admit checks that the organization's settings allow an address for an account, and that no account has it.
func (s *Service) admit(ctx context.Context, tx *store.Tx, email string) error {
	o, err := s.Orgs.Load(ctx, tx)
	if err != nil {
		return err
	}
	switch err := org.CheckEmail(ctx, tx, o, email); {
	case errors.Is(err, org.ErrOutside):
		return ErrOutside.Format(email)
	case errors.Is(err, org.ErrDisposable):
		return ErrDisposable
	case errors.Is(err, org.ErrPlus):
		return ErrPlus
	case err != nil:
		return err
	}
	taken, err := tx.UsersByEmail(ctx, []string{strings.ToLower(email)})
	if err == nil && (len(taken) > 0 || isReserved(o, email)) {
		err = user.ErrEmailInUse.Format(email)
	}
	return err
}

// Change is the changes to an account. Members that are nil are not changed.
type Change struct {
	FullName *string
	Role     *actor.Role
	Answers  []profile.Answer // to custom profile fields
}

// Change changes an account, which may be a bot's or deactivated. Bots have no answers. It fails with [user.ErrNoSuchUser],
// [ErrPermission], [ErrRole], [ErrOnlyOwner], [permit.ErrNotOwner], [permit.ErrNotAdmin], and with the errors of invalid names and
// answers.
func (s *Service) Change(ctx context.Context, who actor.Actor, of id.User, change Change) error {
	return s.write(ctx, who, of, func(tx *store.Tx, who actor.Actor, o org.Org, before user.User) error {
		if !administers(who, before) || before.IsBot() && len(change.Answers) > 0 {
			return ErrPermission
		}
		if role := change.Role; role != nil && *role != before.Role {
			if err := checkRole(ctx, tx, who, before, *role); err != nil {
				return err
			}
		}
		if name := change.FullName; name != nil && strings.TrimSpace(*name) == "" {
			change.FullName = nil
		}
		// Errors of the answers are reported last.
		answers, wrong := s.Profiles.Prepare(ctx, tx, of, change.Answers)
		if wrong != nil && fault.Of(wrong) == nil {
			return wrong
		}
		if _, err := user.Update(ctx, tx, o, of, user.Change{FullName: change.FullName, Role: change.Role}); err != nil {
			return err
		}
		if wrong != nil {
			return wrong
		}
		return answers.Write(ctx, tx)
	})
}

// checkRole fails if the caller may not change an account's role to another one.
func checkRole(ctx context.Context, tx *store.Tx, who actor.Actor, before user.User, role actor.Role) error {
	if role != actor.Owner && role != actor.Administrator && role != actor.Member && role != actor.Guest {
		return ErrRole
	}
	if before.Active {
		if err := keepOwner(ctx, tx, before, ErrOnlyOwner); err != nil {
			return err
		}
	}
	switch {
	case (before.Role == actor.Owner || role == actor.Owner) && who.Role != actor.Owner:
		return permit.ErrNotOwner
	case role < before.Role && role < who.Role:
		return permit.ErrNotAdmin // otherwise a bot's owner would gain rights by the bot
	}
	return nil
}

// Deactivate deactivates a person's account with their bots. It fails with [user.ErrNoSuchUser], [subscription.ErrUserDeactivated], [ErrPermission],
// [permit.ErrNotOwner] or [ErrOnlyOwnerEnd].
func (s *Service) Deactivate(ctx context.Context, who actor.Actor, of id.User) error {
	return s.DeactivateIf(ctx, who, of, func(*store.Tx) error { return nil })
}

// DeactivateIf is [Service.Deactivate] with a condition. Several bots take several transactions; check is called in each, with the
// lock on the organization's accounts, and its error ends the deactivation.
func (s *Service) DeactivateIf(ctx context.Context, who actor.Actor, of id.User, check func(tx *store.Tx) error) error {
	return s.deactivate(ctx, who, of, func(tx *store.Tx, who actor.Actor, before user.User) error {
		if err := check(tx); err != nil {
			return err
		}
		switch {
		case before.IsBot():
			return user.ErrNoSuchUser
		case !before.Active:
			return subscription.ErrUserDeactivated
		case !administers(who, before):
			return ErrPermission
		case before.Role == actor.Owner && who.Role != actor.Owner:
			return permit.ErrNotOwner
		}
		return keepOwner(ctx, tx, before, ErrOnlyOwnerEnd)
	})
}

// Leave deactivates the caller's own account with their bots. It fails with [ErrLastOwner].
func (s *Service) Leave(ctx context.Context, who actor.Actor) error {
	return s.deactivate(ctx, who, who.User, func(tx *store.Tx, _ actor.Actor, before user.User) error {
		return keepOwner(ctx, tx, before, ErrLastOwner)
	})
}

func (s *Service) deactivate(
	ctx context.Context, who actor.Actor, of id.User, allow func(tx *store.Tx, who actor.Actor, before user.User) error,
) error {
	for done := false; !done; {
		err := s.write(ctx, who, of, func(tx *store.Tx, who actor.Actor, o org.Org, before user.User) error {
			if err := allow(tx, who, before); err != nil {
				return err
			}
			bots, err := tx.ActiveBotsOf(ctx, int64(of), maxBotsPerStep)
			if err != nil {
				return err
			}
			going := bots
			if done = len(bots) < maxBotsPerStep; done {
				// The person comes before their bots (events.md, section 3.12).
				going = append([]id.User{of}, bots...)
			}
			for _, account := range slices.Sorted(slices.Values(going)) { // before the streams, as elsewhere
				if err := tx.LockUser(ctx, int64(account)); err != nil {
					return err
				}
			}
			if err := user.LockStreams(ctx, tx, going...); err != nil {
				return err
			}
			for _, account := range going {
				if _, err := user.Update(ctx, tx, o, account, user.Change{Active: new(false)}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Reactivate makes an account active. It fails with [user.ErrNoSuchUser], [ErrPermission], with [permit.ErrGuest] or
// [permit.ErrNotAdmin] for a bot that the caller couldn't create (rest-api.md, section 8.6), with [permit.ErrNotOwner] or
// [permit.ErrNotAdmin] for an account with a higher role than the caller's, or with [ErrManyBots].
func (s *Service) Reactivate(ctx context.Context, who actor.Actor, of id.User) error {
	reports, err := s.Presence.OfReturning(ctx, s.DB, who.Org(), s.Now(), func(tx *store.Tx) (user.User, error) {
		return user.ByID(ctx, tx, of)
	})
	if err != nil {
		return err
	}
	return s.write(ctx, who, of, func(tx *store.Tx, who actor.Actor, o org.Org, before user.User) error {
		if !administers(who, before) {
			return ErrPermission
		}
		if err := permit.NonGuest.Check(who); err != nil {
			return err // an owner of bots who has become a guest
		}
		if err := permit.MakeBot(who.Role, permit.BotPolicy(o.Settings.BotCreationPolicy), before.Bot); err != nil {
			return err
		}
		switch {
		case before.Active:
			return nil
		case before.Role == actor.Owner && who.Role != actor.Owner:
			return permit.ErrNotOwner // owners alone can take the role away again
		case before.Role.IsAdmin() && !who.Role.IsAdmin():
			return permit.ErrNotAdmin
		}
		if before.IsBot() {
			if err := s.checkNumber(ctx, tx, before.Owner, false); err != nil {
				return err
			}
		}
		return presence.Update(ctx, tx, o, before, user.Change{Active: new(true)}, reports, s.Now())
	})
}

// write runs a change of an account, with the caller as it is now. Concurrent changes of accounts in one organization wait
// for each other.
func (s *Service) write(
	ctx context.Context, who actor.Actor, to id.User, work func(tx *store.Tx, who actor.Actor, o org.Org, before user.User) error,
) error {
	return s.DB.Write(ctx, who.Org(), func(tx *store.Tx) error {
		if err := tx.LockAccounts(ctx); err != nil {
			return err
		}
		now, err := user.Current(ctx, tx, who)
		if err != nil {
			return err
		}
		o, err := s.Orgs.Load(ctx, tx)
		if err != nil {
			return err
		}
		before, err := user.ByID(ctx, tx, to)
		switch {
		case err != nil:
			return err
		case before.System:
			return user.ErrNoSuchUser
		}
		return work(tx, now, o, before)
	})
}

// keepOwner returns the error only if the account is the only active owner.
func keepOwner(ctx context.Context, tx *store.Tx, u user.User, only error) error {
	if u.Role != actor.Owner || u.IsBot() {
		return nil
	}
	others, err := tx.OtherOwners(ctx, u.ID)
	switch {
	case err != nil:
		return err
	case !others:
		return only
	}
	return nil
}

// administers reports whether who may administer an account. Administrators may administer any, others their own bots.
func administers(who actor.Actor, u user.User) bool {
	return who.Role.IsAdmin() || u.IsBot() && u.Owner == who.User
}
