package policy

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
)

// AddDomain is org.AddDomain in the organization of the caller. It also fails with permit.ErrNotAdmin or the errors of
// user.Current if the caller isn't an administrator anymore, as do the methods below.
func (s *Service) AddDomain(ctx context.Context, who actor.Actor, domain org.Domain) (added org.Domain, number int64, err error) {
	err = s.domains(ctx, who, func(tx *store.Tx) (err error) {
		added, number, err = org.AddDomain(ctx, tx, domain)
		return err
	})
	return added, number, err
}

// ChangeDomain is org.ChangeDomain in the organization of the caller.
func (s *Service) ChangeDomain(ctx context.Context, who actor.Actor, domain org.Domain) error {
	return s.domains(ctx, who, func(tx *store.Tx) error { return org.ChangeDomain(ctx, tx, domain) })
}

// RemoveDomain is org.Service.RemoveDomain in the organization of the caller.
func (s *Service) RemoveDomain(ctx context.Context, who actor.Actor, name string) error {
	return s.domains(ctx, who, func(tx *store.Tx) error { return s.Orgs.RemoveDomain(ctx, tx, name) })
}

// domains runs a change of domains, which decide who may join, if the caller is still an administrator.
func (s *Service) domains(ctx context.Context, who actor.Actor, change func(tx *store.Tx) error) error {
	return s.DB.Write(ctx, who.Org(), func(tx *store.Tx) error {
		if _, err := tx.LockOrganization(ctx); err != nil {
			return err
		}
		if err := keepsRole(ctx, tx, who); err != nil {
			return err
		}
		return change(tx)
	})
}
