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

// noticeClient is the client name of messages that the server sends by itself.
const noticeClient = "Internal"

// ownerNoticePeriod is the minimum time between two notices to a bot's owner (rest-api.md, section 2.2.4).
const ownerNoticePeriod = time.Minute

// Notice is a message of the notification bot to a stream that is ready to be sent.
type Notice struct {
	message store.NewMessage
	readBy  []id.User
}

// NoticeToStream renders a notice to a stream; it needs no right to. For those in readBy who are subscribed, it is
// read. [Notice.Send] sends it in the same transaction.
func (s *Service) NoticeToStream(ctx context.Context, tx *store.Tx, to id.Stream, topic, content string, readBy ...id.User) (Notice, error) {
	bot, err := s.notificationBot(ctx, tx)
	if err != nil {
		return Notice{}, err
	}
	facts, err := stream.FactsByID(ctx, tx, bot, to)
	if err != nil {
		return Notice{}, fmt.Errorf("read stream for notice: %w", err)
	}
	body, err := s.Render(ctx, bot, content, tx)
	if err != nil {
		return Notice{}, err
	}
	m, err := streamMessage(bot, facts, topic, content, body, Draft{readBy: readBy})
	return Notice{m, readBy}, err
}

// Send sends the notice.
func (n Notice) Send(ctx context.Context, tx *store.Tx) error {
	return sendNotices(ctx, tx, []store.NewMessage{n.message}, n.readBy)
}

// sendNotices sends notices with the same topic, one for each stream. For those in readBy who are subscribed, they are read.
func sendNotices(ctx context.Context, tx *store.Tx, notices []store.NewMessage, readBy []id.User) error {
	sent, err := tx.Send(ctx, notices...)
	if err != nil || len(readBy) == 0 {
		return err
	}
	return tx.MarkSentRead(ctx, sqlc.MarkSentReadParams{
		Topic: notices[0].Topic, MessageIds: id.Convert[int64](sent), UserIds: id.Convert[int64](readBy),
		StreamIds: lists.Map(notices, func(m store.NewMessage) int64 { return int64(m.Stream) }),
	})
}

// ToStream sends a notice to a stream, as a part of the transaction, like [Service.NoticeToStream].
func (s *Service) ToStream(ctx context.Context, tx *store.Tx, to id.Stream, topic, content string, readBy ...id.User) error {
	notice, err := s.NoticeToStream(ctx, tx, to, topic, content, readBy...)
	if err != nil {
		return err
	}
	return notice.Send(ctx, tx)
}

// ToNew renders a notice to streams that the transaction is about to make; for those in readBy who are subscribed, it is
// read. send sends it, in the same transaction.
func (s *Service) ToNew(
	ctx context.Context, tx *store.Tx, topic, content string, readBy ...id.User,
) (send func(ctx context.Context, to []sqlc.Stream) error, err error) {
	bot, err := s.notificationBot(ctx, tx)
	if err != nil {
		return nil, err
	}
	body, err := s.Render(ctx, bot, content, tx)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, to []sqlc.Stream) error {
		if len(to) == 0 {
			return nil
		}
		notices := make([]store.NewMessage, len(to))
		for i, row := range to {
			var err error
			if notices[i], err = streamMessage(bot, stream.FactsOfNew(row), topic, content, body, Draft{readBy: readBy}); err != nil {
				return err
			}
		}
		return sendNotices(ctx, tx, notices, readBy)
	}, nil
}

// ToUsers renders private notices, a text for each of the users. send sends them, in the same transaction.
func (s *Service) ToUsers(ctx context.Context, tx *store.Tx, to []id.User, texts []string) (send func(ctx context.Context) error, err error) {
	bot, err := s.notificationBot(ctx, tx)
	if err != nil {
		return nil, err
	}
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
		if bodies[text], err = s.Render(ctx, bot, text, tx); err != nil {
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

// ToUser sends a private notice, as a part of the transaction.
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

// notifyStreamOwner notifies a bot's owner of a problem with the stream that the bot sends to. The
// bot's message doesn't fail for it.
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
