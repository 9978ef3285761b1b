package user

import (
	"bytes"
	"context"
	"strings"
	"time"

	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
)

// The errors of keys that callers choose.
var (
	// ErrKeyForm says that a key isn't of the form that requests are authenticated by (rest-api.md, section 1.4, row 8).
	ErrKeyForm = fault.Bad("An API key must have 32 letters and digits.")
	// ErrKeyInUse says that another account has the key.
	ErrKeyInUse = fault.Bad("Another account has this API key.")
)

// Rotation is the result of rotating an account's API key.
type Rotation struct {
	Changed bool
	Key     string    // the new one, if it changed
	Ends    time.Time // when the replaced key expires; zero: it has expired
}

// Rotate replaces an account's API key by the given one, or by a new one if key is empty. The replaced
// key works for the time grace; a key that was replaced before expires at once. If the account has the given
// key already, nothing changes. It fails with [ErrKeyForm] or [ErrKeyInUse].
func (s *Service) Rotate(ctx context.Context, tx *store.Tx, user id.User, key string, grace time.Duration) (Rotation, error) {
	if key == "" {
		made, err := NewKey()
		if err != nil {
			return Rotation{}, err
		}
		key = made
	}
	if err := CheckKey(key); err != nil {
		return Rotation{}, err
	}
	row, err := tx.UserForUpdate(ctx, user)
	if err != nil {
		return Rotation{}, err
	}
	hash := HashKey(key)
	if bytes.Equal(row.APIKeyHash, hash[:]) {
		return Rotation{}, nil
	}
	used, err := tx.KeyInUse(ctx, hash[:], int64(user))
	if err != nil {
		return Rotation{}, err
	}
	if used {
		return Rotation{}, ErrKeyInUse
	}
	params := sqlc.RotateAPIKeyParams{APIKeyHash: hash[:], UserID: user}
	rotation := Rotation{Changed: true, Key: key}
	if grace > 0 && row.APIKeyHash != nil {
		rotation.Ends = s.now().Add(grace).UTC().Truncate(time.Microsecond) // the database's precision
		params.PreviousKeyHash, params.PreviousKeyEnds = row.APIKeyHash, &rotation.Ends
	}
	if err := tx.RotateAPIKey(ctx, params); store.IsDuplicate(err) {
		return Rotation{}, ErrKeyInUse // since just now
	} else if err != nil {
		return Rotation{}, err
	}
	return rotation, nil
}

// RevokeKeys revokes an account's API key and a replaced one that hasn't expired. Nobody can act as the account until it
// gets a new key. It reports whether there was a key.
func RevokeKeys(ctx context.Context, tx *store.Tx, user id.User) (bool, error) {
	row, err := tx.UserForUpdate(ctx, user)
	if err != nil || row.APIKeyHash == nil && row.PreviousKeyHash == nil {
		return false, err
	}
	return true, tx.RotateAPIKey(ctx, sqlc.RotateAPIKeyParams{UserID: user})
}

// CheckKey checks the form of a key that a caller has chosen. It returns nil or [ErrKeyForm].
func CheckKey(key string) error {
	if len(key) != keyLength || strings.Trim(key, keyAlphabet) != "" {
		return ErrKeyForm
	}
	return nil
}
