package message

import (
	"context"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/store"
)

// ErrInvalid reports that there is no such message, or none that the caller may see (rest-api.md,
// section 1.9).
var ErrInvalid = fault.Bad("Invalid message(s)")

// Visible is a message as one of its readers sees it.
type Visible struct {
	ID           id.Message
	Sender       id.User
	StreamID     id.Stream       // zero for a private message
	Conversation id.Conversation // zero for a stream message
	Topic        string
	Content      string     // as it was written
	Rendered     string     // HTML
	Renderer     int16      // version of the renderer
	Attributes   Attributes // the same for all readers
	Sent         time.Time
	Edits        []byte // JSON; nil: never edited

	StreamName string            // "" for a private message
	Stream     permit.StreamView // zero for a private message
	// HistoryPublic says that subscribers can read messages from before they subscribed.
	HistoryPublic bool
	// Held says that the reader received or flagged the message.
	Held bool
}

// Load returns a message, or [ErrInvalid] if who may not access it.
func Load(ctx context.Context, tx *store.Tx, who actor.Actor, message id.Message) (Visible, error) {
	row, err := tx.MessageForReader(ctx, int64(who.User), message)
	if store.IsNotFound(err) {
		return Visible{}, ErrInvalid
	}
	if err != nil {
		return Visible{}, err
	}
	seen := Visible{
		ID: row.MessageID, Sender: row.SenderID, Topic: row.Topic, Content: row.Content, Rendered: row.Rendered,
		Renderer: row.Renderer, Attributes: Attributes(row.Flags), Sent: row.SentAt, Edits: row.Edits,
		StreamName: row.StreamName, HistoryPublic: row.HistoryPublic, Held: row.Received || row.Flagged,
	}
	if row.ConversationID != nil {
		seen.Conversation = *row.ConversationID
	}
	if row.StreamID != nil {
		seen.StreamID = *row.StreamID
		seen.Stream = permit.StreamView{InviteOnly: row.InviteOnly, IsWebPublic: row.IsWebPublic, Subscribed: row.Subscribed}
	}
	readable := seen.StreamID != 0 && permit.ReadHistory(who.Role, seen.Stream, seen.HistoryPublic)
	if !seen.Held && !readable {
		return Visible{}, ErrInvalid
	}
	return seen, nil
}

// Audience returns the audience of events about the message: accounts that received or flagged it and, if the stream's
// history is visible to them, all subscribers of its stream.
func Audience(ctx context.Context, tx *store.Tx, m Visible) (event.Audience, error) {
	if m.Conversation != 0 {
		members, err := tx.ConversationMembers(ctx, m.Conversation)
		return event.Audience{Users: members}, err
	}
	audience := event.Audience{}
	if m.HistoryPublic {
		audience.Subscribers = m.StreamID
	}
	var err error
	audience.Users, err = tx.MessageHolders(ctx, m.StreamID, int64(m.ID), !m.HistoryPublic)
	return audience, err
}
