package outgoing

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/catalogue"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/markdown"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/user"
)

// Reply is the content of a bot's message.
type Reply struct {
	Content string  // empty: there is no message
	Widget  *string // the value of widget_content as JSON; nil: there is none
}

// say sends a message of the bot to the stream or conversation of its call. It does nothing if messages can't be
// sent there anymore, or if the bot has meanwhile been deactivated or can't read the message that it was called with. It
// fails with message.ErrRendering.
func (s *Service) say(ctx context.Context, tx *store.Tx, call Call, reply Reply) error {
	now, err := user.ByID(ctx, tx, call.Bot.ID)
	if errors.Is(err, user.ErrNoSuchUser) || err == nil && !now.Active {
		return nil
	}
	if err != nil {
		return err
	}
	readable, err := tx.IsReadable(ctx, []int64{int64(now.ID), int64(now.Owner)}, call.Message.ID)
	switch {
	case store.IsNotFound(err): // the message was deleted, the answer to it needn't be
	case err != nil:
		return err
	case !readable:
		return nil
	}
	bot, err := s.actor(ctx, tx, now)
	if err != nil {
		return err
	}
	send, err := s.Messages.PrepareAnswer(ctx, tx, bot, placeOf(call), reply.Content, reply.Widget)
	if err == nil {
		err = send(ctx)
	}
	if f := fault.Of(err); f != nil && f.Kind == fault.Invalid && !errors.Is(err, message.ErrRendering) {
		return nil // messages can't be sent there
	}
	return err
}

func placeOf(call Call) message.Place {
	m := call.Message
	if m.StreamID != 0 {
		return message.Place{Stream: m.StreamID, Topic: m.Subject}
	}
	return message.Place{Conversation: id.Conversation(m.RecipientID)}
}

// actor returns a bot as the sender of messages.
func (s *Service) actor(ctx context.Context, tx *store.Tx, bot user.User) (actor.Actor, error) {
	o, err := s.Orgs.Load(ctx, tx)
	if err != nil {
		return actor.Actor{}, err
	}
	who, err := bot.Caller(ctx, tx, o)
	who.Client = client
	return who, err
}

// notify sends the details of a failure to the bot's owner, at most once a minute.
func (s *Service) notify(ctx context.Context, call Call, details string) error {
	who, err := store.Read(ctx, s.DB, call.Org, func(tx *store.Tx) (actor.Actor, error) { return s.actor(ctx, tx, call.Bot) })
	if err != nil {
		return err
	}
	return s.Messages.NotifyOwner(ctx, who, func(catalogue.Texts) string { // English, as the details, which are for authors of bots
		return "[A message](" + link(call) + ") triggered an outgoing webhook.\n" + details
	})
}

// link returns the path of the page with the message.
func link(call Call) string {
	m := call.Message
	near := "/near/" + strconv.FormatInt(int64(m.ID), 10)
	if name, ok := m.DisplayRecipient.(string); ok {
		return markdown.TopicPath(m.StreamID, name, m.Subject) + near
	}
	people, _ := m.DisplayRecipient.([]event.Person)
	kind := "-pm"
	if len(people) > 2 {
		kind = "-group"
	}
	ids := lists.Map(people, func(p event.Person) string { return strconv.FormatInt(int64(p.ID), 10) })
	return "/#narrow/pm-with/" + strings.Join(ids, ",") + kind + near
}
