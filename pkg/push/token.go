package push

import (
	"context"
	"crypto/sha256"
	"encoding/base64"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/user"
)

const (
	// maxTokens is the maximum number of tokens of an account. Another one replaces the oldest.
	maxTokens = 20
	// maxToken is the maximum length of a token in bytes.
	maxToken = 4096
)

// Errors of a mobile device's token.
var (
	ErrTokenLength = fault.Bad("Empty or invalid length token")
	ErrAPNS        = fault.Bad("Invalid APNS token")
	ErrNoToken     = fault.Bad("Token does not exist")
)

// TokenService is the service that issued a mobile device's token.
type TokenService string

// The services that notify mobile devices.
const (
	APNS TokenService = "apns" // Apple's
	GCM  TokenService = "gcm"  // Google's
)

// check fails with [ErrTokenLength] or [ErrAPNS].
func (s TokenService) check(token string) error {
	if token == "" || len(token) > maxToken {
		return ErrTokenLength
	}
	if s != APNS {
		return nil
	}
	if _, err := base64.StdEncoding.DecodeString(token); err != nil {
		return ErrAPNS
	}
	return nil
}

// AddToken records a token of the caller's account. Nothing is sent to it: only an app's publisher can do that. It fails
// with [ErrTokenLength], [ErrAPNS] or the errors of [user.Current].
func (s *Service) AddToken(ctx context.Context, who actor.Actor, of TokenService, token string) error {
	if err := of.check(token); err != nil {
		return err
	}
	hash := sha256.Sum256([]byte(token))
	return s.DB.Write(ctx, who.Org(), func(tx *store.Tx) error {
		if err := tx.LockUser(ctx, int64(who.User)); err != nil { // so that concurrent calls don't exceed the limit
			return err
		}
		if _, err := user.Current(ctx, tx, who); err != nil { // tokens end with the key, too
			return err
		}
		return tx.AddPushToken(ctx, sqlc.AddPushTokenParams{UserID: who.User, Service: string(of), Hash: hash[:], Others: maxTokens - 1})
	})
}

// RemoveToken removes a token of the caller's account. It fails with [ErrTokenLength], [ErrAPNS] or [ErrNoToken].
func (s *Service) RemoveToken(ctx context.Context, who actor.Actor, of TokenService, token string) error {
	if err := of.check(token); err != nil {
		return err
	}
	hash := sha256.Sum256([]byte(token))
	return s.DB.Write(ctx, who.Org(), func(tx *store.Tx) error {
		removed, err := tx.RemovePushToken(ctx, who.User, string(of), hash[:])
		if err == nil && removed == 0 {
			return ErrNoToken
		}
		return err
	})
}
