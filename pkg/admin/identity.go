package admin

import (
	"context"
	"errors"
	"strings"

	"chatserver.dev/pkg/adminapi"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/user"
)

// Unlink removes the links of the account with an address to people at identity providers. Whoever signs in at a provider with that
// address, verified, is linked to the account again. Sessions stay valid. It fails with [ErrNoObject].
func (s *Service) Unlink(ctx context.Context, orgKey, email string) (removal adminapi.Removal, err error) {
	found, err := s.find(ctx, orgKey)
	if err != nil {
		return adminapi.Removal{}, err
	}
	err = s.DB.Write(ctx, found, func(tx *store.Tx) error {
		if err := tx.LockAccounts(ctx); err != nil { // prevents sign-ins meanwhile
			return err
		}
		of, err := user.ByRealEmail(ctx, tx, strings.TrimSpace(email))
		if errors.Is(err, user.ErrNoSuchUser) {
			return ErrNoObject.Format(User, email)
		}
		if err != nil {
			return err
		}
		unlinked, err := tx.UnlinkIdentities(ctx, of.ID)
		removal.Removed = unlinked > 0
		return err
	})
	return removal, err
}
