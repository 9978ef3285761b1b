package inbox

import (
	"cmp"
	"context"
	"slices"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/store"
)

// Faults of changing flags (rest-api.md, section 2.9), besides [message.ErrInvalid].
var (
	// ErrFlag says that there is no such flag.
	ErrFlag = fault.Bad("Invalid flag: '%s'")
	// ErrFixedFlag says that readers can't change the flag.
	ErrFixedFlag = fault.Bad("Flag not editable: '%s'")
	// ErrManyMessages says that there are more than [MaxMessages].
	ErrManyMessages = fault.Bad("Too many messages: the request has %d, the limit is %d.")
)

// MaxMessages is the maximum number of messages whose flags one request changes.
const MaxMessages = 5000

// FlagChange is a change of a flag.
type FlagChange struct {
	Messages []id.Message // to change
	Flag     string       // read, starred or collapsed
	Remove   bool         // removes the flag rather than adding it

	part bool // whether it is part of a larger request with a message that the caller has
}

// bit checks the flag's name and returns its bit.
func (c FlagChange) bit() (event.Flags, error) {
	switch c.Flag {
	case "read":
		return event.Read, nil
	case "starred":
		return event.Starred, nil
	case "collapsed":
		return event.Collapsed, nil
	case "mentioned", "wildcard_mentioned", "has_alert_word", "historical",
		"force_expand", "force_collapse", "summarize_in_home", "summarize_in_stream":
		return 0, ErrFixedFlag.Format(c.Flag)
	}
	return 0, ErrFlag.Format(c.Flag)
}

// SetFlags changes a flag of messages that the caller has. If the caller has at least one of them, other messages are skipped. The
// caller can also star a single message that they don't have but can access. Then they have it, as history. The caller's clients get
// the whole list in an event (rest-api.md, section 2.9), or in several events if the list is so long that it takes several transactions.
// SetFlags fails with [ErrFlag], [ErrFixedFlag], [ErrManyMessages] or [message.ErrInvalid].
func (s *Service) SetFlags(ctx context.Context, who actor.Actor, c FlagChange) error {
	bit, err := c.bit()
	if err != nil {
		return err
	}
	if n := len(c.Messages); n > MaxMessages {
		return ErrManyMessages.Format(n, MaxMessages)
	}
	if len(c.Messages) <= s.limits.portion {
		return s.setFlags(ctx, who, bit, c)
	}
	found := heldMessages{}
	err = s.db.InTurn(ctx, who.Org(), func() error {
		return s.db.Read(ctx, who.Org(), func(tx *store.Tx) (err error) {
			found, err = held(ctx, tx, who, c)
			return err
		})
	})
	if err != nil {
		return err
	}
	for some := range slices.Chunk(found.byPlace(c.Messages), s.limits.portion) {
		err := s.db.InTurn(ctx, who.Org(), func() error {
			return s.setFlags(ctx, who, bit, FlagChange{Messages: some, Flag: c.Flag, Remove: c.Remove, part: true})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// setFlags is [Service.SetFlags] in one transaction.
func (s *Service) setFlags(ctx context.Context, who actor.Actor, bit event.Flags, c FlagChange) error {
	if bit == event.Read && !c.Remove {
		return s.markRead(ctx, who, c)
	}
	return s.change(ctx, who, func(tx *store.Tx) error {
		held, err := held(ctx, tx, who, c)
		if err != nil {
			return err
		}
		if bit == event.Read {
			err = markUnread(ctx, tx, who, held)
		} else {
			err = setPersonal(ctx, tx, who, held, bit, c)
		}
		if err != nil {
			return err
		}
		return tx.Emit(ctx, updated(who, c))
	})
}

// heldMessages are the messages of a request that the caller has.
type heldMessages struct {
	all, received []int64
	places        []int64 // of all
}

// byPlace returns messages in the order of their streams and conversations. Each portion advances the marks of its places, so it should
// have few.
func (h heldMessages) byPlace(messages []id.Message) []id.Message {
	places := map[id.Message]int64{}
	for i, number := range h.all {
		places[id.Message(number)] = h.places[i]
	}
	return slices.SortedStableFunc(slices.Values(messages), func(a, b id.Message) int { return cmp.Compare(places[a], places[b]) })
}

// held returns the messages of a request that the caller has. A message to be starred is added to them.
func held(ctx context.Context, tx *store.Tx, who actor.Actor, c FlagChange) (heldMessages, error) {
	found := heldMessages{}
	rows, err := tx.HeldMessages(ctx, int64(who.User), id.Convert[int64](c.Messages))
	if err != nil {
		return heldMessages{}, err
	}
	for _, row := range rows {
		found.all, found.places = append(found.all, row.MessageID), append(found.places, row.Place)
		if row.Received {
			found.received = append(found.received, row.MessageID)
		}
	}
	if len(rows) > 0 || c.part {
		return found, nil
	}
	if len(c.Messages) != 1 || c.Flag != "starred" {
		return heldMessages{}, message.ErrInvalid
	}
	if _, err := message.Load(ctx, tx, who, c.Messages[0]); err != nil {
		return heldMessages{}, err
	}
	found.all = id.Convert[int64](c.Messages)
	if !c.Remove {
		err = tx.AddPersonalFlags(ctx, who.User, int16(event.Historical), found.all)
	}
	return found, err
}

// setPersonal changes a flag that is stored for a reader and a message. A row without flags is kept only if
// it is the only record that the caller has the message.
func setPersonal(ctx context.Context, tx *store.Tx, who actor.Actor, held heldMessages, bit event.Flags, c FlagChange) error {
	flag := int16(bit) // the greatest is 1024
	if !c.Remove {
		return tx.AddPersonalFlags(ctx, who.User, flag, held.all)
	}
	if err := tx.DropPersonalFlags(ctx, who.User, held.received, flag); err != nil {
		return err
	}
	return tx.RemovePersonalFlag(ctx, flag, who.User, held.all)
}

// markRead marks messages as read.
func (s *Service) markRead(ctx context.Context, who actor.Actor, c FlagChange) error {
	if who.IsBot() {
		err := s.change(ctx, who, func(tx *store.Tx) error { return tx.MarkDelivered(ctx, who.User, id.Convert[int64](c.Messages)) })
		if err != nil {
			return err
		}
	}
	read, err := s.db.MarkRead(ctx, who.Org(), store.ReadRequest{
		Reader: who.User, Messages: c.Messages, IsPart: c.part, Event: updated(who, c),
		Look: min(s.limits.passed, s.limits.passedEach*len(c.Messages)), Ranges: s.limits.again,
	})
	if err != nil {
		return err
	}
	if !read.IsHeld && !c.part {
		return message.ErrInvalid
	}
	return s.advanceRest(ctx, who, read.Left, read.Upto)
}

// markUnread marks messages as unread.
func markUnread(ctx context.Context, tx *store.Tx, who actor.Actor, held heldMessages) error {
	if who.IsBot() {
		if err := tx.UnmarkDelivered(ctx, who.User, held.all); err != nil {
			return err
		}
	}
	return tx.MarkUnread(ctx, who.User, held.all)
}

// updated returns the event of a change.
func updated(who actor.Actor, c FlagChange) event.MessageFlagsUpdated {
	e := event.MessageFlagsUpdated{Users: []id.User{who.User}, Operation: event.AddFlag, Flag: c.Flag, Messages: c.Messages}
	if c.Remove {
		e.Operation = event.RemoveFlag
	}
	return e
}
