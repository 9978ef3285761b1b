package message

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
)

// Hold returns a message if who may access it, or [ErrInvalid], and locks it until the
// transaction ends: nobody changes or deletes it meanwhile, or comes to where it is or leaves. It comes
// before the transaction's first write.
func Hold(ctx context.Context, tx *store.Tx, who actor.Actor, message id.Message) (Seen, error) {
	m, err := See(ctx, tx, who, message)
	if err != nil {
		return Seen{}, err
	}
	m, gone, err := Lock(ctx, tx, who, m, false)
	switch {
	case err != nil:
		return Seen{}, err
	case gone:
		return Seen{}, ErrInvalid
	}
	// Two who share the place take turns; the second one sees what the first did.
	if _, err := lockRow(ctx, tx, m.ID); err != nil {
		return Seen{}, err
	}
	return See(ctx, tx, who, m.ID)
}

// Lock keeps a message that was seen already where it is, and those who are there: all but its content and reactions,
// and without writing. alone also keeps back sends to where it is, and to more streams, and with them every other change
// of what is there. gone says that the message was deleted since it was seen.
func Lock(ctx context.Context, tx *store.Tx, who actor.Actor, m Seen, alone bool, more ...id.Stream) (now Seen, gone bool, err error) {
	take := tx.HoldPlace
	if alone {
		take = tx.LockPlace
	}
	places := []int64{place(m)}
	for _, stream := range more {
		places = append(places, int64(stream))
	}
	slices.Sort(places) // everybody in the same order
	for held := []int64(nil); ; places = []int64{place(m)} {
		for _, p := range slices.Compact(places) {
			if err := take(ctx, p); err != nil {
				return Seen{}, false, fmt.Errorf("lock stream or conversation %d: %w", p, err)
			}
			held = append(held, p)
		}
		now, err = See(ctx, tx, who, m.ID)
		if errors.Is(err, ErrInvalid) {
			rows, err := lockRow(ctx, tx, m.ID)
			if err == nil && len(rows) > 0 {
				err = ErrInvalid
			}
			return Seen{}, err == nil, err
		}
		if err != nil {
			return Seen{}, false, err
		}
		if slices.Contains(held, place(now)) {
			break
		}
		m = now // it was moved between the first look and the lock
	}
	return now, false, nil
}

func lockRow(ctx context.Context, tx *store.Tx, message id.Message) ([]id.Message, error) {
	rows, err := tx.LockMessage(ctx, message)
	if err != nil {
		return nil, fmt.Errorf("lock message %d: %w", message, err)
	}
	return rows, nil
}

// place is the stream or conversation that a message is in.
func place(m Seen) int64 {
	if m.StreamID != 0 {
		return int64(m.StreamID)
	}
	return int64(m.Conversation)
}
