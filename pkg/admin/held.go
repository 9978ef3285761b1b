package admin

import (
	"context"
	"fmt"

	"chatserver.dev/pkg/adminapi"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
)

// fieldKey is among the changes of an object that was adopted: it had no key, or another one.
const fieldKey = "key"

// held is an object with the key that it is managed under.
type held struct {
	object  int64 // its id; 0: there is none
	key     string
	details []byte // JSON of what is stored with the key
}

// object returns the object with a key.
func object(ctx context.Context, tx *store.Tx, kind Kind, key string) (held, error) {
	row, err := tx.ExternalObject(ctx, string(kind), key)
	switch {
	case store.IsNotFound(err):
		return held{details: []byte("{}")}, nil
	case err != nil:
		return held{}, fmt.Errorf("find the key of a %s: %w", kind, err)
	}
	return held{row.ObjectID, key, row.Details}, nil
}

// theObject returns the object with a key, or [ErrNoObject].
func theObject(ctx context.Context, tx *store.Tx, kind Kind, key string) (held, error) {
	found, err := object(ctx, tx, kind, key)
	if err == nil && found.object == 0 {
		err = ErrNoObject.Format(kind, key)
	}
	return found, err
}

// objectFrom returns the object with a key. If there is none, it is the one that has been managed under the key from until now, unless
// that is empty; keep then replaces its key.
func objectFrom(ctx context.Context, tx *store.Tx, kind Kind, key, from string) (held, error) {
	found, err := object(ctx, tx, kind, key)
	if err != nil || found.object != 0 || from == "" {
		return found, err
	}
	return theObject(ctx, tx, kind, from)
}

// adoptable returns nil if an existing object can be managed under a new key: it isn't under another, and adopt is set.
func adoptable(ctx context.Context, tx *store.Tx, kind Kind, name string, object int64, adopt bool) error {
	key, err := tx.ExternalKeyOf(ctx, object, kind == Stream)
	switch {
	case err == nil:
		return kept(kind, name, key)
	case !store.IsNotFound(err):
		return fmt.Errorf("look for the key of %s %d: %w", kind, object, err)
	case !adopt:
		return ErrExists.Format(kind, name)
	}
	return nil
}

// kept is the error if an object is managed under another key.
func kept(kind Kind, name, key string) *fault.Fault {
	return errKept.Format(kind, name, key).With(adminapi.HeldKey, key)
}

// keep stores the key of an object and the details. was is what objectFrom has returned. As it writes, it comes after all locks.
func keep(ctx context.Context, tx *store.Tx, kind Kind, was held, key string, object int64, details []byte) error {
	if was.key != "" && was.key != key {
		if err := tx.RemoveExternalKey(ctx, string(kind), was.key, was.object); err != nil {
			return fmt.Errorf("remove the former key of %s %d: %w", kind, object, err)
		}
	}
	params := sqlc.SaveExternalKeyParams{Kind: string(kind), ExternalKey: key, ObjectID: object, Details: details}
	if err := tx.SaveExternalKey(ctx, params); err != nil {
		return fmt.Errorf("keep %s %d: %w", kind, object, err)
	}
	return nil
}
