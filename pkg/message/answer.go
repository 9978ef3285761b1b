package message

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/stream"
	"chatserver.dev/pkg/user"
)

// Place is the place of messages: a topic of a stream, or a private conversation.
type Place struct {
	Stream       id.Stream       `json:"stream,omitempty"` // zero for a conversation
	Topic        string          `json:"topic,omitempty"`
	Conversation id.Conversation `json:"conversation,omitempty"` // zero for a stream
}

// PrepareAnswer renders a bot's answer to the message that called it. A bot may answer wherever it was called, unless the
// stream is archived or a member of the conversation is deactivated. Content that is too long is truncated. widget is as in
// [Draft]. send sends the answer in the same transaction, and may fail with [store.ErrStale].
func (s *Service) PrepareAnswer(
	ctx context.Context, tx *store.Tx, bot actor.Actor, to Place, content string, widget *string,
) (send func(ctx context.Context) error, err error) {
	if content, err = CheckContent(CutContent(content)); err != nil {
		return nil, err
	}
	var body Rendered
	if widget == nil {
		body, err = s.Render(ctx, bot, content, tx) // commands in the content don't create widgets
	} else {
		body, err = s.renderDraft(ctx, bot, content, Draft{Widget: widget}, tx)
	}
	if err != nil {
		return nil, err
	}
	var m store.NewMessage
	if to.Stream != 0 {
		m, err = messageToStream(ctx, tx, bot, to, body)
	} else {
		m, err = s.conversationMessage(ctx, tx, bot, to.Conversation, body)
	}
	return sender(tx, m), err
}

// messageToStream returns the row of a message of a bot, which may send to every stream that isn't archived.
func messageToStream(ctx context.Context, tx *store.Tx, bot actor.Actor, to Place, body Rendered) (store.NewMessage, error) {
	facts, err := stream.FactsByID(ctx, tx, bot, to.Stream)
	switch {
	case store.IsNotFound(err):
		return store.NewMessage{}, unknownStreamID(to.Stream)
	case err != nil:
		return store.NewMessage{}, err
	case facts.Deactivated:
		return store.NewMessage{}, permit.ErrPost.Format(facts.Name)
	}
	return streamMessage(bot, facts, to.Topic, body, Draft{})
}

// conversationMessage returns the row of a message to a conversation, if who may send there now.
func (s *Service) conversationMessage(
	ctx context.Context, tx *store.Tx, who actor.Actor, to id.Conversation, body Rendered,
) (store.NewMessage, error) {
	o, err := s.Orgs.Load(ctx, tx)
	if err != nil {
		return store.NewMessage{}, err
	}
	members, err := tx.ConversationMembers(ctx, to)
	if err != nil {
		return store.NewMessage{}, err
	}
	people, err := user.ByIDs(ctx, tx, members)
	if err != nil {
		return store.NewMessage{}, err
	}
	persons := personsOf(o, people)
	if err := checkPrivate(who, people, persons); err != nil {
		return store.NewMessage{}, err
	}
	m, err := privateMessage(who, to, persons, body, Draft{})
	m.BotCalls = calls(who, outgoing(people), store.ByPrivateMessage)
	return m, err
}
