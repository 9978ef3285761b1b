// Package submessage manages the submessages of widgets, except for the first one, which is sent with the message
// (rest-api.md, section 2.14).
package submessage

import (
	"context"
	"encoding/json"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
)

// Limits, because each reader of a message gets all of its submessages.
const (
	// maxContent is the maximum size of a submessage in bytes.
	maxContent = 10_000
	// maxOfMessage is the maximum number of submessages of a message, and maxBytesOfMessage their maximum size in
	// bytes.
	maxOfMessage      = 10_000
	maxBytesOfMessage = 1 << 20
)

// Errors of adding a submessage, besides message.ErrInvalid.
var (
	ErrJSON = fault.Plain("Invalid json for submessage")
	ErrLong = fault.Bad("The submessage is too long: it has %d bytes, the limit is %d.")
	ErrFull = fault.Bad("The message has too many submessages: there is no room for another one.")
)

// Service adds submessages. It is safe for concurrent use.
type Service struct{ db *store.DB }

// New makes the service.
func New(db *store.DB) *Service { return &Service{db} }

// Draft is a submessage to add.
type Draft struct {
	Message id.Message
	Type    string
	Content string // JSON
}

// Add adds a submessage to a message that who has access to. It fails with message.ErrInvalid, [ErrJSON], [ErrLong]
// or [ErrFull].
func (s *Service) Add(ctx context.Context, who actor.Actor, draft Draft) error {
	return s.db.Write(ctx, who.Org(), func(tx *store.Tx) error {
		m, err := message.LoadForEdit(ctx, tx, who, draft.Message)
		switch {
		case err != nil:
			return err
		case !json.Valid([]byte(draft.Content)):
			return ErrJSON
		case len(draft.Content) > maxContent:
			return ErrLong.Format(len(draft.Content), maxContent)
		}
		sizes, err := tx.SubmessageSizes(ctx, m.ID)
		switch more := int64(len(draft.Type) + len(draft.Content)); {
		case err != nil:
			return err
		case sizes.Submessages >= maxOfMessage || sizes.Bytes+more > maxBytesOfMessage:
			return ErrFull
		}
		audience, err := message.Audience(ctx, tx, m)
		if err != nil {
			return err
		}
		number, err := tx.AddSubmessage(ctx, sqlc.AddSubmessageParams{
			HasSubmessages: int16(message.HasSubmessages), MessageID: m.ID, SenderID: who.User, MsgType: draft.Type, Content: draft.Content,
		})
		if err != nil {
			return err
		}
		return tx.Emit(ctx, event.SubmessageAdded{
			MsgType: draft.Type, MessageID: m.ID, SubmessageID: number, SenderID: who.User, Content: draft.Content, Receivers: audience,
		})
	})
}
