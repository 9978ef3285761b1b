package store

import (
	"context"
	"fmt"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store/sqlc"
)

// NewMessage is a message that is ready to be stored. It goes to a stream or to a conversation.
type NewMessage struct {
	Sender id.User

	Stream id.Stream // zero for a private message
	// StreamVersion is what the sender's right was decided with, and AccessBy whose subscription it
	// comes from (zero: it needs none): if they no longer hold, nothing is stored.
	StreamVersion int64
	AccessBy      id.User

	Conversation id.Conversation // zero for a stream message

	Topic    string
	Content  string
	Rendered string
	Renderer int16 // version of the renderer
	Client   string
	Flags    int16

	Flagged       []Flagged // get a row of flags, as far as they are subscribed
	FlaggedAnyway []Flagged // get one in any case

	Payload  string // event.Message.EncodeAfterID
	Audience any    // event.Audience
}

// Flagged is somebody whose copy of a message has flags.
type Flagged struct {
	User  id.User
	Flags event.Flags
}

// Send stores a message with its event, in one round trip, and gives its id. ok is false where what
// the sender's right was decided with no longer holds; nothing is stored then.
func (db *DB) Send(ctx context.Context, org id.Org, m NewMessage) (message id.Message, ok bool, err error) {
	message, ok, err = send(ctx, sqlc.New(db.service), org, db.Shard(org), m)
	if err == nil && ok {
		db.waker.Wake(db.Shard(org))
	}
	return message, ok, err
}

// Send is [DB.Send] as a part of this transaction.
func (tx *Tx) Send(ctx context.Context, m NewMessage) (message id.Message, ok bool, err error) {
	message, ok, err = send(ctx, tx.Queries, tx.org, tx.shard, m)
	tx.emitted = tx.emitted || ok
	return message, ok, err
}

func send(ctx context.Context, q *sqlc.Queries, org id.Org, shard int, m NewMessage) (message id.Message, ok bool, err error) {
	audience, err := encode(m.Audience)
	if err != nil {
		return 0, false, err
	}
	params := sqlc.SendMessageParams{
		Org: int64(org), Shard: int16(shard), Sender: int64(m.Sender), //nolint:gosec // at most 1024 shards
		Conversation: optional(m.Conversation), Stream: optional(m.Stream), AccessBy: optional(m.AccessBy),
		Topic: m.Topic, Content: m.Content, Rendered: m.Rendered, Renderer: m.Renderer, Client: m.Client, Flags: m.Flags,
		Payload: m.Payload, Audience: audience, Trace: traceParent(ctx),
	}
	params.Flagged, params.FlagsOf = columns(m.Flagged)
	params.FlaggedAnyway, params.FlagsOfAnyway = columns(m.FlaggedAnyway)
	if m.Stream != 0 {
		params.StreamVersion = &m.StreamVersion
	}
	number, err := q.SendMessage(ctx, params)
	if err != nil {
		return 0, false, fmt.Errorf("store message: %w", err)
	}
	return id.Message(number), number != 0, nil
}

// optional gives nil for zero.
func optional[T ~int64](v T) *int64 {
	if v == 0 {
		return nil
	}
	n := int64(v)
	return &n
}

// columns are the users and their flags.
func columns(flagged []Flagged) (users []int64, flags []int16) {
	users, flags = make([]int64, len(flagged)), make([]int16, len(flagged))
	for i, f := range flagged {
		users[i], flags[i] = int64(f.User), int16(f.Flags) //nolint:gosec // flags have 11 bits
	}
	return users, flags
}
