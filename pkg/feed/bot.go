package feed

import (
	"context"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/markdown"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/user"
)

// FullMessage is a message with both forms of its content (rest-api.md, section 5.12), and without the state of any reader.
type FullMessage struct {
	Message
	// Flags are left out.
	Flags []string `json:"flags,omitempty"`
	// Rendered is the content as HTML.
	Rendered string `json:"rendered_content"`
}

// ForBot returns a message for a bot that it mentions or is addressed to. ok is false if the message has been deleted, or if
// neither the bot nor its owner may read its stream.
func (s *Service) ForBot(ctx context.Context, tx *store.Tx, o org.Org, bot user.User, wanted id.Message) (m FullMessage, ok bool, err error) {
	found, err := tx.Message(ctx, wanted)
	readable := false
	if err == nil {
		readable, err = tx.IsReadable(ctx, []int64{int64(bot.ID), int64(bot.Owner)}, wanted)
	}
	if store.IsNotFound(err) || err == nil && !readable {
		return FullMessage{}, false, nil
	}
	if err != nil {
		return FullMessage{}, false, err
	}
	linkifiers, err := s.linkifiers.In(ctx, tx, bot.Actor(o, nil))
	if err != nil {
		return FullMessage{}, false, err
	}
	messages, err := Form{}.messages(ctx, tx, scope{o, markdown.NewTopics(linkifiers)}, []store.NarrowedMessage{found}, false, "")
	if err != nil {
		return FullMessage{}, false, err
	}
	return FullMessage{Message: messages[0], Rendered: found.Rendered}, true, nil
}
