package admin

import (
	"context"

	"chatserver.dev/pkg/adminapi"
	"chatserver.dev/pkg/provision"
	"chatserver.dev/pkg/store"
)

// IssueScimToken issues a token for an identity provider that manages the people of the organization with a key. The previous token
// stays valid until the next one is issued.
func (s *Service) IssueScimToken(ctx context.Context, orgKey string) (issued adminapi.Token, err error) {
	found, err := s.find(ctx, orgKey)
	if err != nil {
		return adminapi.Token{}, err
	}
	err = s.DB.Write(ctx, found, func(tx *store.Tx) error {
		issued.Token, err = provision.IssueToken(ctx, tx)
		return err
	})
	return issued, err
}

// RevokeScimTokens revokes all such tokens.
func (s *Service) RevokeScimTokens(ctx context.Context, orgKey string) (removal adminapi.Removal, err error) {
	found, err := s.find(ctx, orgKey)
	if err != nil {
		return adminapi.Removal{}, err
	}
	err = s.DB.Write(ctx, found, func(tx *store.Tx) error {
		removal.Removed, err = provision.RevokeTokens(ctx, tx)
		return err
	})
	return removal, err
}
