package message

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/catalogue"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/stream"
	"chatserver.dev/pkg/user"
)

// noticeClient is the client name of the server's own messages.
const noticeClient = "Internal"

// ownerNoticePeriod is the minimum time between two notices to a bot's owner (rest-api.md, section 2.2.4).
const ownerNoticePeriod = time.Minute

// toStreams renders a notice of the notification bot to streams, in the organization's language. The bot needs no permission to
// send there. For those of readBy who are subscribed, it is marked as read (see
// [stream.Notices]). send sends it in the same transaction.
func (s *Service) toStreams(ctx context.Context, tx *store.Tx, says catalogue.StreamNotice, readBy []id.User) (
	bot actor.Actor, send func(ctx context.Context, to ...stream.Facts) error, err error,
) {
	o, bot, err := s.notificationBot(ctx, tx)
	if err != nil {
		return bot, nil, err
	}
	topic, content := says(catalogue.Best(o.Settings.DefaultLanguage))
	body, err := s.Render(ctx, bot, content, tx)
	return bot, func(ctx context.Context, to ...stream.Facts) (err error) {
		notices := make([]store.NewMessage, len(to))
		for i, facts := range to {
			if notices[i], err = streamMessage(bot, facts, topic, body, Draft{readBy: readBy}); err != nil {
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

// PrepareToStream renders a notice to a stream, in the organization's language. For those of readBy who are subscribed, it is marked as read
// (see [stream.Notices]). send sends it in the same transaction.
func (s *Service) PrepareToStream(
	ctx context.Context, tx *store.Tx, to id.Stream, says catalogue.StreamNotice, readBy ...id.User,
) (send func(ctx context.Context) error, err error) {
	bot, sendTo, err := s.toStreams(ctx, tx, says, readBy)
	if err != nil {
		return nil, err
	}
	facts, err := stream.FactsByID(ctx, tx, bot, to)
	return func(ctx context.Context) error { return sendTo(ctx, facts) }, err
}

// ToStream sends a notice to a stream in the transaction, see [Service.PrepareToStream].
func (s *Service) ToStream(ctx context.Context, tx *store.Tx, to id.Stream, says catalogue.StreamNotice, readBy ...id.User) error {
	send, err := s.PrepareToStream(ctx, tx, to, says, readBy...)
	if err != nil {
		return err
	}
	return send(ctx)
}

// ToNew renders a notice to streams that the transaction is about to create, in the organization's language. For those of readBy who
// are subscribed, it is marked as read. send sends it in the same transaction.
func (s *Service) ToNew(
	ctx context.Context, tx *store.Tx, says catalogue.StreamNotice, readBy ...id.User,
) (send func(ctx context.Context, to []sqlc.Stream) error, err error) {
	_, sendTo, err := s.toStreams(ctx, tx, says, readBy)
	return func(ctx context.Context, to []sqlc.Stream) error {
		return sendTo(ctx, lists.Map(to, stream.FactsOfNew)...)
	}, err
}

// ToUsers renders private notices, one for each user, in the users' languages. send sends them in the same transaction.
func (s *Service) ToUsers(
	ctx context.Context, tx *store.Tx, to []id.User, says []catalogue.Notice,
) (send func(ctx context.Context) error, err error) {
	o, bot, err := s.notificationBot(ctx, tx)
	if err != nil {
		return nil, err
	}
	return s.toUsers(ctx, tx, o, bot, bot, to, says)
}

// toUsers is [Service.ToUsers] for texts that author has written.
func (s *Service) toUsers(
	ctx context.Context, tx *store.Tx, o org.Org, bot, author actor.Actor, to []id.User, says []catalogue.Notice,
) (send func(ctx context.Context) error, err error) {
	receivers, err := user.ByIDs(ctx, tx, to)
	if err != nil {
		return nil, fmt.Errorf("read receivers of notices: %w", err)
	}
	byID := lists.Index(receivers, func(u user.User) id.User { return u.ID })
	bodies, rendered := make([]Rendered, len(says)), map[string]Rendered{}
	for i, say := range says {
		text := say(byID[to[i]].Settings.Texts())
		body, ok := rendered[text]
		if !ok {
			if body, err = s.Render(ctx, author, text, tx); err != nil {
				return nil, err
			}
			rendered[text] = body
		}
		bodies[i] = body
	}
	// Nobody can wait for the locks of conversations that don't exist yet. For the others, the transaction must wait before
	// its first write.
	if err := tx.HoldConversations(ctx, id.Convert[int64](to), int64(bot.User)); err != nil {
		return nil, err
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
			if notices[i], err = privateMessage(bot, conversations[receiver], persons, bodies[i], Draft{}); err != nil {
				return err
			}
		}
		_, err = tx.Send(ctx, notices...)
		return err
	}, nil
}

// notificationBot returns the transaction's organization and its notification bot.
func (s *Service) notificationBot(ctx context.Context, tx *store.Tx) (o org.Org, bot actor.Actor, err error) {
	if o, err = s.Orgs.Load(ctx, tx); err != nil {
		return o, bot, err
	}
	u, err := user.NotificationBot(ctx, tx)
	if err != nil {
		return o, bot, fmt.Errorf("read notification bot: %w", err)
	}
	bot = u.Actor(o, nil)
	bot.Client = noticeClient
	return o, bot, nil
}

// NotifyOwner notifies a bot's owner of a problem, in the owner's language, at most once a minute per bot. It does
// nothing for callers who have no owner.
func (s *Service) NotifyOwner(ctx context.Context, bot actor.Actor, says catalogue.Notice) error {
	if !bot.IsBot() || bot.BotOwner == 0 {
		return nil
	}
	first, err := s.Throttle.First(ctx, "owner-notice:"+strconv.FormatInt(int64(bot.User), 10), ownerNoticePeriod)
	if err != nil {
		return fmt.Errorf("notify owner of bot: %w", err)
	}
	if !first {
		return nil
	}
	return s.DB.Write(ctx, bot.Org(), func(tx *store.Tx) error {
		send, err := s.ToUsers(ctx, tx, []id.User{bot.BotOwner}, []catalogue.Notice{says})
		if err != nil {
			return err
		}
		return send(ctx)
	})
}

// notifyStreamOwner notifies a bot's owner of a problem with the stream that the bot sends to: that nobody is subscribed to it, or
// else that it doesn't exist. It only logs errors, so that the bot's message doesn't fail.
func (s *Service) notifyStreamOwner(ctx context.Context, who actor.Actor, to StreamRef, exists bool) {
	if !who.IsBot() || who.BotOwner == 0 {
		return
	}
	says := func(in catalogue.Texts) string {
		name, problem := "#"+stream.Name(to.Name), in.Notices.NoStream
		if to.ID != 0 {
			name = in.Notices.StreamByID(strconv.FormatInt(int64(to.ID), 10))
		}
		if exists {
			problem = in.Notices.NoSubscribers
		}
		return problem("`"+who.RealEmail+"`", name)
	}
	if err := s.NotifyOwner(ctx, who, says); err != nil {
		s.Logger.WarnContext(ctx, "failed to notify a bot's owner", slog.Any("error", err))
	}
}
