package login

import (
	"context"
	"errors"
	"strings"

	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/user"
)

// Faults of signing in for development (rest-api.md, section 5.2).
var (
	ErrNoDevelopment = fault.Bad("DevAuthBackend not enabled.")
	ErrUnregistered  = refusal("unregistered", "This user is not registered.")
)

// IssueUnchecked issues a key for the program that signs in, without checking a password. It fails with [ErrAddress],
// [org.ErrInvalidSubdomain], [ErrNoDevelopment] if the organization doesn't allow this, [ErrOrgDeactivated], [ErrUserDisabled] or
// [ErrUnregistered].
func (s *Service) IssueUnchecked(ctx context.Context, a Attempt) (issued Issued, err error) {
	email := strings.TrimSpace(a.Email)
	if !user.ValidEmail(email) {
		return Issued{}, ErrAddress
	}
	o, err := s.developed(ctx, a.Host)
	if err != nil {
		return Issued{}, err
	}
	err = s.DB.Write(ctx, o.ID, func(tx *store.Tx) error {
		found, err := user.ByRealEmail(ctx, tx, email)
		if errors.Is(err, user.ErrNoSuchUser) || err == nil && found.IsBot() {
			return ErrUnregistered
		}
		if err != nil {
			return err
		}
		if err := tx.LockUser(ctx, int64(found.ID)); err != nil {
			return err
		}
		if found, err = user.ByID(ctx, tx, found.ID); err != nil {
			return err
		}
		if !found.Active {
			return ErrUserDisabled
		}
		issued, err = s.Grant(ctx, tx, found, a)
		return err
	})
	return issued, err
}

// Candidate is an account that anyone may sign in to.
type Candidate struct {
	// The account's real address.
	Email string `json:"email"`
	// The organization's address, without a slash at the end.
	RealmURI string `json:"realm_uri"`
}

// Candidates returns the accounts for which [Service.IssueUnchecked] issues keys: administrators and others. It fails with the same
// errors.
func (s *Service) Candidates(ctx context.Context, host string) (admins, others []Candidate, err error) {
	o, err := s.developed(ctx, host)
	if err != nil {
		return nil, nil, err
	}
	people, err := store.Read(ctx, s.DB, o.ID, func(tx *store.Tx) ([]user.User, error) { return user.All(ctx, tx) })
	admins, others = []Candidate{}, []Candidate{}
	for _, u := range people {
		switch c := (Candidate{u.RealEmail, o.URI}); {
		case u.IsBot() || !u.Active:
		case u.Role.IsAdmin():
			admins = append(admins, c)
		default:
			others = append(others, c)
		}
	}
	return admins, others, err
}

// developed returns the organization at a host if it allows signing in without a password.
func (s *Service) developed(ctx context.Context, host string) (org.Org, error) {
	o, err := s.Orgs.ByHost(ctx, host)
	switch {
	case err != nil:
		return org.Org{}, err
	case !o.Settings.AuthenticationMethods[org.Development]:
		return org.Org{}, ErrNoDevelopment
	case o.Deactivated:
		return org.Org{}, ErrOrgDeactivated
	}
	return o, nil
}
