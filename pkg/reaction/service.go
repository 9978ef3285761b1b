// Package reaction manages emoji reactions to messages (rest-api.md, section 2.13).
package reaction

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
)

// Errors of reacting, besides message.ErrInvalid and the errors of an emoji.
var (
	// ErrExists says that the caller has already reacted with the emoji.
	ErrExists = fault.Bad("Reaction already exists.")
	// ErrMissing says that the caller hasn't reacted with the emoji.
	ErrMissing = fault.Bad("Reaction doesn't exist.")
	// ErrNoName says that neither name nor code of an emoji was given.
	ErrNoName = fault.Bad("At least one of the following arguments must be present: emoji_name, emoji_code")
	// ErrFull says that the message has the maximum number of reactions, and ErrMany that the caller has the maximum
	// number on the message.
	ErrFull = fault.Bad("The message has too many reactions: there is no room for another one.")
	ErrMany = fault.Bad("You have put %d emoji on this message, which is the limit.")
)

// Limits on the reactions to a message, because every reader gets all of them.
const (
	maxOfMessage = 10_000
	// maxOwn is the maximum for one account, because a member may have a hundred bots.
	maxOwn = 50
)

// Service adds and removes reactions. It is safe for concurrent use.
type Service struct{ db *store.DB }

// New makes the service.
func New(db *store.DB) *Service { return &Service{db: db} }

// Add adds a reaction. If the message already has a reaction with the emoji, the new one gets its name. If who hasn't
// received the message, it is added to their messages as history.
func (s *Service) Add(ctx context.Context, who actor.Actor, to id.Message, e Emoji) error {
	return s.db.Write(ctx, who.Org(), func(tx *store.Tx) error {
		m, err := message.LoadForEdit(ctx, tx, who, to)
		if err != nil {
			return err
		}
		if e, err = e.complete(ctx, tx); err != nil {
			return err
		}
		alike, err := tx.ReactionsWith(ctx, to, e.Kind, e.Code)
		if err != nil {
			return err
		}
		if _, ok := by(alike, who.User); ok {
			return ErrExists
		}
		if len(alike) > 0 {
			e.Name = alike[0].EmojiName
		} else if err := e.check(ctx, tx); err != nil {
			return err
		}
		there, err := tx.CountReactions(ctx, who.User, to)
		switch {
		case err != nil:
			return err
		case there.Own >= maxOwn:
			return ErrMany.Format(there.Own)
		case there.Everybodys >= maxOfMessage:
			return ErrFull
		}
		if !m.Held {
			if err := tx.MarkHistorical(ctx, who.User, to, int16(event.Historical)); err != nil {
				return err
			}
		}
		err = tx.AddReaction(ctx, sqlc.AddReactionParams{
			MessageID: to, UserID: who.User, ReactionType: e.Kind, EmojiCode: e.Code, EmojiName: e.Name,
		})
		if err != nil {
			return err
		}
		return emit(ctx, tx, who, m, "add", e)
	})
}

// Remove removes who's reaction. A missing kind means unicode_emoji.
func (s *Service) Remove(ctx context.Context, who actor.Actor, from id.Message, e Emoji) error {
	return s.db.Write(ctx, who.Org(), func(tx *store.Tx) error {
		m, err := message.LoadForEdit(ctx, tx, who, from)
		if err != nil {
			return err
		}
		if e.Name == "" && e.Code == "" {
			return ErrNoName
		}
		if e.Kind == "" {
			e.Kind = unicodeEmoji
		}
		if e, err = e.complete(ctx, tx); err != nil {
			return err
		}
		alike, err := tx.ReactionsWith(ctx, from, e.Kind, e.Code)
		if err != nil {
			return err
		}
		own, ok := by(alike, who.User)
		if !ok {
			return ErrMissing
		}
		e.Name = own.EmojiName
		err = tx.RemoveReaction(ctx, sqlc.RemoveReactionParams{
			MessageID: from, UserID: who.User, ReactionType: e.Kind, EmojiCode: e.Code,
		})
		if err != nil {
			return err
		}
		return emit(ctx, tx, who, m, "remove", e)
	})
}

// by returns the reaction of a user.
func by(rows []sqlc.ReactionsWithRow, user id.User) (sqlc.ReactionsWithRow, bool) {
	for _, row := range rows {
		if row.UserID == user {
			return row, true
		}
	}
	return sqlc.ReactionsWithRow{}, false
}

func emit(ctx context.Context, tx *store.Tx, who actor.Actor, m message.Visible, op string, e Emoji) error {
	audience, err := message.Audience(ctx, tx, m)
	if err != nil {
		return err
	}
	return tx.Emit(ctx, event.ReactionChanged{
		Op: op, MessageID: m.ID, User: event.Reactor{UserID: who.User, Email: who.Email, FullName: who.FullName},
		Reaction:  event.Reaction{EmojiName: e.Name, EmojiCode: e.Code, ReactionType: e.Kind, UserID: who.User},
		Receivers: audience,
	})
}
