package message

import (
	"context"
	"errors"
	"slices"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
)

// LoadForEdit returns a message if who may access it, or [ErrInvalid], and locks it until the
// transaction ends: nobody can change or delete it meanwhile, or join or leave its stream or conversation. It must be
// called before the transaction's first write.
func LoadForEdit(ctx context.Context, tx *store.Tx, who actor.Actor, message id.Message) (Visible, error) {
	m, err := Load(ctx, tx, who, message)
	if err != nil {
		return Visible{}, err
	}
	m, gone, err := LockForEdit(ctx, tx, who, m, false)
	switch {
	case err != nil:
		return Visible{}, err
	case gone:
		return Visible{}, ErrInvalid
	}
	// Editors of the same stream or conversation take turns here; the second one reads what the first has written.
	if _, err := tx.LockMessage(ctx, m.ID); err != nil {
		return Visible{}, err
	}
	return Load(ctx, tx, who, m.ID)
}

// LockForEdit locks a loaded message's place and subscribers, but not its content and reactions, and doesn't write.
// alone also blocks sends to its stream or conversation and to more streams, and with them all other changes there. gone
// reports whether the message was deleted since it was loaded. If it was moved, LockForEdit fails with [store.ErrRetry].
func LockForEdit(ctx context.Context, tx *store.Tx, who actor.Actor, m Visible, alone bool, more ...id.Stream) (now Visible, gone bool, err error) {
	take := tx.HoldPlace
	if alone {
		take = tx.LockPlace
	}
	places := append(id.Convert[int64](more), place(m))
	slices.Sort(places) // locks are always taken in this order
	places = slices.Compact(places)
	for _, p := range places {
		if err := take(ctx, p); err != nil {
			return Visible{}, false, err
		}
	}
	now, err = Load(ctx, tx, who, m.ID)
	switch {
	case errors.Is(err, ErrInvalid):
		rows, err := tx.LockMessage(ctx, m.ID)
		if err == nil && len(rows) > 0 {
			err = ErrInvalid
		}
		return Visible{}, err == nil, err
	case err == nil && !slices.Contains(places, place(now)):
		return Visible{}, false, store.ErrRetry // its new place may come before those that are locked
	}
	return now, false, err
}

// place returns the id of a message's stream or conversation.
func place(m Visible) int64 {
	if m.StreamID != 0 {
		return int64(m.StreamID)
	}
	return int64(m.Conversation)
}
