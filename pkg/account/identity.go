package account

import (
	"context"
	"errors"
	"slices"
	"strings"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/login"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/user"
)

// Faults of signing in by an identity provider, which people read on a page.
var (
	ErrNoMethod   = fault.New(fault.Forbidden, fault.CodeNone, "This organization doesn't let people sign in this way.")
	ErrUnverified = fault.New(fault.Forbidden, fault.CodeNone, "The identity provider hasn't verified your email address.")
	ErrNoAccount  = fault.New(fault.Forbidden, fault.CodeNone, "There is no account with your email address in this organization.")
	// ErrMayJoin is for people without an account who may sign up.
	ErrMayJoin     = fault.New(fault.Forbidden, fault.CodeNone, "There is no account with your email address in this organization yet.")
	ErrOtherPerson = fault.New(fault.Forbidden, fault.CodeNone, "The account with your email address belongs to somebody else at the identity provider. If it is yours, ask the server's administrators to unlink it.")
	ErrNotInvited  = fault.New(fault.Forbidden, fault.CodeNone, "You need an invitation to join this organization.")
	ErrDomain      = fault.New(fault.Forbidden, fault.CodeNone, "This organization doesn't take addresses of your domain.")
)

// Identity is a person according to an identity provider.
type Identity struct {
	Method   string // name of the provider in the setting authentication_methods
	Issuer   string
	Subject  string // unique for the issuer
	Email    string // that the provider has verified; empty: none
	FullName string
	Role     actor.Role // according to their groups; 0: groups have no effect
}

// SignIn signs in a browser or a program, according to a, as the account that is linked to a person at an identity provider. If there
// is none, it links the person to the account with their verified address, once for each issuer. If there is no such account, signUp
// is set, and the organization permits it or has invited the address, it links them to a new account with everything that they are
// invited to, as if they had used the link in the mail. Groups determine the role, except for that of the only owner. It fails with
// one of the faults above, [login.ErrOrgDeactivated], [login.ErrUserDisabled], [user.ErrEmailInUse], or the errors of names.
func (s *Service) SignIn(ctx context.Context, in id.Org, who Identity, signUp bool, a login.Attempt) (login.Issued, error) {
	issued, left := login.Issued{}, int64(0)
	err := s.DB.Write(ctx, in, func(tx *store.Tx) error {
		issued, left = login.Issued{}, 0
		if err := tx.LockAccounts(ctx); err != nil {
			return err
		}
		if err := tx.LockInvitations(ctx); err != nil {
			return err
		}
		o, err := s.Orgs.Load(ctx, tx)
		switch {
		case err != nil:
			return err
		case o.Deactivated:
			return login.ErrOrgDeactivated
		case !o.Settings.AuthenticationMethods[who.Method]:
			return ErrNoMethod
		}
		u, err := identified(ctx, tx, o, who)
		if errors.Is(err, ErrNoAccount) {
			offer, may := s.mayJoin(ctx, tx, o, who, signUp)
			if err = may; err == nil {
				u, left, err = s.join(ctx, tx, o, who, offer)
			}
		}
		if err != nil {
			return err
		}
		issued, err = s.Logins.Grant(ctx, tx, u, a)
		return err
	})
	if err == nil {
		err = s.Settle(ctx, in, left)
	}
	return issued, err
}

// identified locks and returns the account of a person, with the role of their groups. It fails with [ErrNoAccount] if they
// have none, and with [ErrUnverified], [ErrOtherPerson] or [login.ErrUserDisabled].
func identified(ctx context.Context, tx *store.Tx, o org.Org, who Identity) (user.User, error) {
	number, err := tx.IdentityOwner(ctx, who.Issuer, who.Subject)
	known := err == nil
	if store.IsNotFound(err) {
		number, err = unlinked(ctx, tx, who)
	}
	if err != nil {
		return user.User{}, err
	}
	if err := tx.LockUser(ctx, int64(number)); err != nil {
		return user.User{}, err
	}
	u, err := user.ByID(ctx, tx, number)
	switch {
	case err != nil:
		return user.User{}, err
	case !u.Active:
		return user.User{}, login.ErrUserDisabled
	}
	if u, err = withRole(ctx, tx, o, u, who.Role); err != nil || known {
		return u, err
	}
	return u, link(ctx, tx, who, u.ID)
}

// unlinked returns the account with a person's verified address, unless it is linked to another person of the provider.
func unlinked(ctx context.Context, tx *store.Tx, who Identity) (id.User, error) {
	if who.Email == "" {
		return 0, ErrUnverified
	}
	u, err := user.ByRealEmail(ctx, tx, who.Email)
	switch {
	case errors.Is(err, user.ErrNoSuchUser):
		return 0, ErrNoAccount
	case err != nil:
		return 0, err
	case u.IsBot():
		return 0, ErrOtherPerson
	}
	taken, err := tx.IsLinked(ctx, u.ID, who.Issuer)
	if err == nil && taken {
		err = ErrOtherPerson
	}
	return u.ID, err
}

func link(ctx context.Context, tx *store.Tx, who Identity, to id.User) error {
	return tx.LinkIdentity(ctx, who.Issuer, who.Subject, to)
}

// withRole sets the role of an account to that of its person's groups, unless it is the only owner.
func withRole(ctx context.Context, tx *store.Tx, o org.Org, u user.User, role actor.Role) (user.User, error) {
	if role == 0 || role == u.Role {
		return u, nil
	}
	err := keepOwner(ctx, tx, u, ErrOnlyOwner)
	if errors.Is(err, ErrOnlyOwner) {
		return u, nil
	}
	if err != nil {
		return user.User{}, err
	}
	return user.Update(ctx, tx, o, u.ID, user.Change{Role: &role})
}

// mayJoin returns the invitation of a person without an account who may sign up and does so. It fails with [ErrMayJoin] if they
// only sign in, and with [ErrNoAccount] or [ErrNotInvited] if they need an invitation.
func (s *Service) mayJoin(ctx context.Context, tx *store.Tx, o org.Org, who Identity, signUp bool) (Invitation, error) {
	offer, err := s.invitedTo(ctx, tx, who.Email)
	may := offer.As != 0 || !o.Settings.InviteRequired
	switch {
	case err != nil || may && signUp:
		return offer, err
	case may:
		return Invitation{}, ErrMayJoin
	case signUp:
		return Invitation{}, ErrNotInvited
	}
	return Invitation{}, ErrNoAccount
}

// join creates an account for a person who signs up, and returns it with what [Service.Settle] has to do. It fails with [ErrDomain], or
// as creating an account does.
func (s *Service) join(ctx context.Context, tx *store.Tx, o org.Org, who Identity, offer Invitation) (made user.User, left int64, err error) {
	switch err := checkDomain(ctx, tx, o, who.Email); {
	case fault.Of(err) != nil:
		return made, 0, ErrDomain
	case err != nil:
		return made, 0, err
	}
	made, left, err = s.accept(ctx, tx, o, user.Draft{RealEmail: who.Email, FullName: nameOf(who), Role: who.Role}, offer)
	if err == nil {
		err = link(ctx, tx, who, made.ID)
	}
	if err == nil {
		err = s.greet(ctx, tx, o, made)
	}
	return made, left, err
}

// nameOf returns the first valid name of: the person's name at the provider, the local part of the address, the whole address.
func nameOf(who Identity) string {
	first, domain, _ := strings.Cut(who.Email, "@")
	names := []string{who.FullName, first, first + " " + domain}
	valid := func(name string) bool {
		_, err := user.CheckName(name)
		return err == nil
	}
	return names[max(0, slices.IndexFunc(names, valid))]
}
