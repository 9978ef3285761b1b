package message

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/stream"
	"chatserver.dev/pkg/user"
)

// noticeClient is the client name of the server's own messages.
const noticeClient = "Internal"

// ownerNoticePeriod is the minimum time between two notices to a bot's owner (rest-api.md, section 2.2.4).
const ownerNoticePeriod = time.Minute

// toStreams renders a notice of the notification bot to streams. The bot needs no permission to send there. For those of
// readBy who are subscribed, it is marked as read. send sends it in the same transaction.
func (s *Service) toStreams(ctx context.Context, tx *store.Tx, topic, content string, readBy []id.User) (
	bot actor.Actor, send func(ctx context.Context, to ...stream.Facts) error, err error,
) {
	if bot, err = s.notificationBot(ctx, tx); err != nil {
		return bot, nil, err
	}
	body, err := s.Render(ctx, bot, content, tx)
	return bot, func(ctx context.Context, to ...stream.Facts) (err error) {
		notices := make([]store.NewMessage, len(to))
		for i, facts := range to {
			if notices[i], err = streamMessage(bot, facts, topic, content, body, Draft{readBy: readBy}); err != nil {
				return err
			}
		}
		sent, err := tx.Send(ctx, notices...)
		if err != nil || len(sent) == 0 || len(readBy) == 0 {
			return err
		}
		return tx.MarkSentRead(ctx, sqlc.MarkSentReadParams{
			Topic: topic, MessageIds: id.Convert[int64](sent), UserIds: id.Convert[int64](readBy),
			StreamIds: lists.Map(to, func(facts stream.Facts) int64 { return int64(facts.ID) }),
		})
	}, err
}

// PrepareToStream renders a notice to a stream. For those of readBy who are subscribed, it is marked as read. send sends it
// in the same transaction.
func (s *Service) PrepareToStream(
	ctx context.Context, tx *store.Tx, to id.Stream, topic, content string, readBy ...id.User,
) (send func(ctx context.Context) error, err error) {
	bot, sendTo, err := s.toStreams(ctx, tx, topic, content, readBy)
	if err != nil {
		return nil, err
	}
	facts, err := stream.FactsByID(ctx, tx, bot, to)
	return func(ctx context.Context) error { return sendTo(ctx, facts) }, err
}

// ToStream sends a notice to a stream in the transaction, see [Service.PrepareToStream].
func (s *Service) ToStream(ctx context.Context, tx *store.Tx, to id.Stream, topic, content string, readBy ...id.User) error {
	send, err := s.PrepareToStream(ctx, tx, to, topic, content, readBy...)
	if err != nil {
		return err
	}
	return send(ctx)
}

// ToNew renders a notice to streams that the transaction is about to create. For those of readBy who are subscribed, it is
// marked as read. send sends it in the same transaction.
func (s *Service) ToNew(
	ctx context.Context, tx *store.Tx, topic, content string, readBy ...id.User,
) (send func(ctx context.Context, to []sqlc.Stream) error, err error) {
	_, sendTo, err := s.toStreams(ctx, tx, topic, content, readBy)
	return func(ctx context.Context, to []sqlc.Stream) error {
		return sendTo(ctx, lists.Map(to, stream.FactsOfNew)...)
	}, err
}

// ToUsers renders private notices, one text for each user. send sends them in the same transaction.
func (s *Service) ToUsers(ctx context.Context, tx *store.Tx, to []id.User, texts []string) (send func(ctx context.Context) error, err error) {
	bot, err := s.notificationBot(ctx, tx)
	if err != nil {
		return nil, err
	}
	return s.toUsers(ctx, tx, bot, bot, to, texts)
}

// toUsers is [Service.ToUsers] for texts that author has written.
func (s *Service) toUsers(
	ctx context.Context, tx *store.Tx, bot, author actor.Actor, to []id.User, texts []string,
) (send func(ctx context.Context) error, err error) {
	o, err := s.orgs.Load(ctx, tx)
	if err != nil {
		return nil, err
	}
	receivers, err := user.ByIDs(ctx, tx, to)
	if err != nil {
		return nil, fmt.Errorf("read receivers of notices: %w", err)
	}
	byID := lists.Index(receivers, func(u user.User) id.User { return u.ID })
	bodies := map[string]Rendered{}
	for _, text := range texts {
		if _, ok := bodies[text]; ok {
			continue
		}
		if bodies[text], err = s.Render(ctx, author, text, tx); err != nil {
			return nil, err
		}
	}
	return func(ctx context.Context) error {
		rows, err := tx.CreateConversations(ctx, int64(bot.User), id.Convert[int64](to))
		if err != nil {
			return err
		}
		conversations := make(map[id.User]id.Conversation, len(rows))
		for _, row := range rows {
			conversations[id.User(row.Other)] = row.ConversationID
		}
		notices := make([]store.NewMessage, len(to))
		for i, receiver := range to {
			persons := []event.Person{
				{ID: bot.User, Email: bot.Email, FullName: bot.FullName},
				{ID: receiver, Email: user.DisplayEmail(o, byID[receiver]), FullName: byID[receiver].FullName},
			}
			slices.SortFunc(persons, func(a, b event.Person) int { return int(a.ID - b.ID) })
			if notices[i], err = privateMessage(bot, conversations[receiver], persons, texts[i], bodies[texts[i]], Draft{}); err != nil {
				return err
			}
		}
		_, err = tx.Send(ctx, notices...)
		return err
	}, nil
}

// ToUser sends a private notice in the transaction.
func (s *Service) ToUser(ctx context.Context, tx *store.Tx, to id.User, content string) error {
	send, err := s.ToUsers(ctx, tx, []id.User{to}, []string{content})
	if err != nil {
		return err
	}
	return send(ctx)
}

func (s *Service) notificationBot(ctx context.Context, tx *store.Tx) (actor.Actor, error) {
	o, err := s.orgs.Load(ctx, tx)
	if err != nil {
		return actor.Actor{}, err
	}
	bot, err := user.NotificationBot(ctx, tx)
	if err != nil {
		return actor.Actor{}, fmt.Errorf("read notification bot: %w", err)
	}
	who := bot.Actor(o, nil)
	who.Client = noticeClient
	return who, nil
}

// NotifyOwner notifies a bot's owner of a problem, at most once a minute per bot. It does
// nothing for callers who have no owner.
func (s *Service) NotifyOwner(ctx context.Context, bot actor.Actor, content string) error {
	if !bot.IsBot() || bot.BotOwner == 0 {
		return nil
	}
	first, err := s.throttle.First(ctx, "owner-notice:"+strconv.FormatInt(int64(bot.User), 10), ownerNoticePeriod)
	if err != nil {
		return fmt.Errorf("notify owner of bot: %w", err)
	}
	if !first {
		return nil
	}
	return s.db.Write(ctx, bot.Org(), func(tx *store.Tx) error { return s.ToUser(ctx, tx, bot.BotOwner, content) })
}

// notifyStreamOwner notifies a bot's owner of a problem with the stream that the bot sends to. It only logs errors, so that
// the bot's message doesn't fail.
func (s *Service) notifyStreamOwner(ctx context.Context, who actor.Actor, to StreamRef, what string) {
	if !who.IsBot() || who.BotOwner == 0 {
		return
	}
	name := "#" + stream.Name(to.Name)
	if to.ID != 0 {
		name = "the stream with the ID " + strconv.FormatInt(int64(to.ID), 10)
	}
	content := fmt.Sprintf("Your bot `%s` tried to send a message to %s, but %s.", who.RealEmail, name, what)
	if err := s.NotifyOwner(ctx, who, content); err != nil {
		s.logger.WarnContext(ctx, "failed to notify a bot's owner", slog.Any("error", err))
	}
}
