package provision

import (
	"context"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/user"
)

// maxTokens is the maximum number of valid tokens of an organization: the current one and its predecessor.
const maxTokens = 2

// IssueToken issues a token with which a provider manages an organization's accounts. The previous token stays valid
// until the next one is issued.
func IssueToken(ctx context.Context, tx *store.Tx) (token string, err error) {
	if token, err = user.NewKey(); err != nil {
		return "", err
	}
	hash := user.HashKey(token)
	if err := tx.AddScimToken(ctx, hash[:]); err != nil {
		return "", err
	}
	_, err = tx.EndScimTokens(ctx, maxTokens)
	return token, err
}

// RevokeTokens invalidates all tokens at once, and reports whether there were any.
func RevokeTokens(ctx context.Context, tx *store.Tx) (bool, error) {
	ended, err := tx.EndScimTokens(ctx, 0)
	return ended > 0, err
}

// Admits reports whether a token belongs to the organization.
func (s *Service) Admits(ctx context.Context, in id.Org, token string) (bool, error) {
	hash := user.HashKey(token)
	return store.Read(ctx, s.DB, in, func(tx *store.Tx) (bool, error) { return tx.HasScimToken(ctx, hash[:]) })
}
