package message

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/catalogue"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/stream"
)

// Prepare renders a message of who to a place in a transaction. It checks the current state of the place and the
// permissions; who must be a member of a conversation. widget is as in [Draft]. It fails with the faults of [Service.Send].
// send sends the message in the same transaction, and may fail with [store.ErrStale].
func (s *Service) Prepare(
	ctx context.Context, tx *store.Tx, who actor.Actor, to Place, content string, widget *string,
) (send func(ctx context.Context) error, err error) {
	facts, accessBy := stream.Facts{}, id.User(0)
	if to.Stream != 0 {
		if facts, accessBy, err = s.postable(ctx, tx, who, to); err != nil {
			return nil, err
		}
	}
	if content, err = CheckContent(content); err != nil {
		return nil, err
	}
	body, err := s.renderDraft(ctx, who, content, Draft{Widget: widget}, tx)
	if err != nil {
		return nil, err
	}
	var m store.NewMessage
	if to.Stream != 0 {
		m, err = streamMessage(who, facts, to.Topic, body, Draft{})
	} else {
		m, err = s.conversationMessage(ctx, tx, who, to.Conversation, body)
	}
	m.AccessBy = accessBy
	return sender(tx, m), err
}

// PrepareReminder is [Service.Prepare] for a reminder, which the notification bot sends for who: in a stream, or only to
// who.
func (s *Service) PrepareReminder(
	ctx context.Context, tx *store.Tx, who actor.Actor, to Place, content string,
) (send func(ctx context.Context) error, err error) {
	o, bot, err := s.notificationBot(ctx, tx)
	if err != nil {
		return nil, err
	}
	if to.Stream == 0 {
		own := func(catalogue.Texts) string { return content }
		return s.toUsers(ctx, tx, o, bot, who, []id.User{who.User}, []catalogue.Notice{own})
	}
	facts, accessBy, err := s.postable(ctx, tx, who, to)
	if err != nil {
		return nil, err
	}
	body, err := s.Render(ctx, who, content, tx)
	if err != nil {
		return nil, err
	}
	m, err := streamMessage(bot, facts, to.Topic, body, Draft{})
	m.AccessBy = accessBy
	return sender(tx, m), err
}

// postable returns the facts about the stream if who may send to it, and the account whose subscription permits it, see
// permit.Post.
func (s *Service) postable(ctx context.Context, tx *store.Tx, who actor.Actor, to Place) (facts stream.Facts, accessBy id.User, err error) {
	facts, err = stream.FactsByID(ctx, tx, who, to.Stream)
	if store.IsNotFound(err) {
		err = unknownStreamID(to.Stream)
	}
	if err != nil {
		return stream.Facts{}, 0, err
	}
	accessBy, err = s.mayPost(who, StreamRef{ID: to.Stream}, facts)
	return facts, accessBy, err
}

func sender(tx *store.Tx, m store.NewMessage) func(ctx context.Context) error {
	return func(ctx context.Context) error {
		_, err := tx.Send(ctx, m)
		return err
	}
}
