package revision

import (
	"context"
	"fmt"
	"slices"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/catalogue"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/inbox"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
)

// prepare reads everything that the first transaction of a move writes. e is the event without the fields that
// prepare sets. upto is the last of the messages that remain to be moved, or 0 if there are none.
func (s *Service) prepare(ctx context.Context, tx *store.Tx, r revision, e event.MessageUpdated) (first relocation, upto id.Message, err error) {
	moved, upto, err := along(ctx, tx, r)
	if err != nil {
		return first, 0, err
	}
	if first, err = relocate(ctx, tx, r, e, moved); err != nil || r.change.Stream == nil {
		return first, upto, err
	}
	first.notices, err = s.announcements(ctx, tx, r)
	return first, upto, err
}

// relocation contains everything that one transaction of a move writes.
type relocation struct {
	r      revision
	to     id.Stream // the destination of the messages
	moved  []id.Message
	behind []id.User // who loses access to the messages
	marks  inbox.MovedMarks
	events []event.Event

	encoded store.EncodedEvents

	notices []func(ctx context.Context) error // send them
}

// relocate reads everything that a transaction of a move writes. e contains the first of the messages.
func relocate(ctx context.Context, tx *store.Tx, r revision, e event.MessageUpdated, moved []id.Message) (l relocation, err error) {
	l = relocation{r: r, to: r.m.StreamID, moved: moved}
	e.MessageIDs = moved
	e.MessagesMoved = &event.MessagesMoved{StreamID: r.m.StreamID, OrigSubject: r.m.Topic, PropagateMode: string(r.change.Mode)}
	topic, read := r.m.Topic, []event.Event(nil)
	if r.change.Topic != nil {
		topic = *r.change.Topic
		e.Subject, e.TopicLinks = &topic, append([]string{}, r.links...)
	}
	if r.change.Stream != nil {
		l.to, e.NewStreamID = r.to.StreamID, r.to.StreamID
		var guests []id.User
		if l.behind, guests, err = leftBehind(ctx, tx, r, moved); err != nil {
			return l, err
		}
		e.Receivers.Except = l.behind
		// Guests lose access to the messages, so for them the messages are deleted.
		deleted := []id.User(nil)
		if !r.to.IsWebPublic {
			deleted = guests
		}
		if len(deleted) > 0 {
			l.events = deletedFrom(r.m.StreamID, r.m.Topic, moved, event.Audience{Users: deleted}).Forms()
		}
		others := slices.DeleteFunc(slices.Clone(l.behind), func(user id.User) bool {
			_, gone := slices.BinarySearch(deleted, user) // the query orders them
			return gone
		})
		if read, err = notUnread(ctx, tx, r, moved, others); err != nil {
			return l, err
		}
	}
	l.events = append(append(l.events, e), read...)
	l.marks, err = inbox.Moved{
		FromStream: r.m.StreamID, FromTopic: r.m.Topic, ToStream: l.to, ToTopic: topic, Messages: moved,
	}.Marks(ctx, tx)
	return l, err
}

// encode encodes the events. It is called before the transaction's first write.
func (l *relocation) encode() (err error) {
	l.encoded, err = store.EncodeEvents(l.events...)
	return err
}

// write writes the new place of the messages. Read messages stay read.
func (l relocation) write(ctx context.Context, tx *store.Tx) (err error) {
	if len(l.behind) > 0 {
		if err := tx.DropFlags(ctx, id.Convert[int64](l.moved), id.Convert[int64](l.behind)); err != nil {
			return err
		}
	}
	if topic := l.r.change.Topic; topic != nil {
		err = tx.MoveToTopic(ctx, &l.to, *topic, id.Convert[int64](l.moved))
	} else {
		err = tx.MoveToStream(ctx, &l.to, id.Convert[int64](l.moved))
	}
	if err != nil {
		return err
	}
	if err := l.marks.Save(ctx, tx); err != nil {
		return err
	}
	if l.to != l.r.m.StreamID {
		if err := tx.AdvanceFirstMessage(ctx, l.r.m.StreamID, id.Convert[int64](l.moved)); err != nil {
			return err
		}
		if err := tx.LowerFirstMessage(ctx, int64(slices.Min(l.moved)), l.to); err != nil {
			return err
		}
	}
	if err := tx.EmitEncoded(ctx, l.encoded); err != nil {
		return err
	}
	for _, send := range l.notices {
		if err := send(ctx); err != nil {
			return err
		}
	}
	return nil
}

// along returns the first messages to move, beginning with the one in the request, and the last of the remaining
// messages, or 0.
func along(ctx context.Context, tx *store.Tx, r revision) (moved []id.Message, upto id.Message, err error) {
	moved = []id.Message{r.m.ID}
	if r.change.Mode == One {
		return moved, 0, nil
	}
	newest, err := tx.NewestMessageID(ctx)
	if err != nil {
		return nil, 0, err
	}
	since := id.Message(0)
	if r.change.Mode == Later {
		since = r.m.ID
	}
	topic, err := tx.MessagesOfTopic(ctx, sqlc.MessagesOfTopicParams{
		StreamID: &r.m.StreamID, Topic: r.m.Topic, Since: since, Upto: newest, Every: true, MaxRows: minMoved,
	})
	if err != nil {
		return nil, 0, err
	}
	for _, other := range topic {
		if other.MessageID != r.m.ID {
			moved = append(moved, other.MessageID)
		}
	}
	if len(topic) < minMoved {
		return moved, 0, nil
	}
	return moved, id.Message(newest), nil
}

// leftBehind returns the accounts that lose access to some of the messages, or to their stream, and the guests among
// them.
func leftBehind(ctx context.Context, tx *store.Tx, r revision, moved []id.Message) (users, guests []id.User, err error) {
	rows, err := tx.LeftBehind(ctx, sqlc.LeftBehindParams{
		Guest: int16(actor.Guest), StreamID: r.m.StreamID, MessageIds: id.Convert[int64](moved), NewStreamID: int64(r.to.StreamID),
	})
	for _, row := range rows {
		users = append(users, row.UserID)
		if row.Guest {
			guests = append(guests, row.UserID)
		}
	}
	return users, guests, err
}

// notUnread returns events that messages are read: for accounts that lose them, as when somebody leaves a stream, and for those that
// weren't in the new stream when the messages were sent, for whom they become history. Otherwise these accounts' clients would count
// them as unread. Beyond maxUnread different sets of messages there are no events: clients know about the messages of the others when
// they register the next time.
func notUnread(ctx context.Context, tx *store.Tx, r revision, moved []id.Message, behind []id.User) (events []event.Event, err error) {
	rows, err := tx.UnreadAmong(ctx, sqlc.UnreadAmongParams{
		MessageIds: id.Convert[int64](moved), StreamID: int64(r.m.StreamID), ToStream: int64(r.to.StreamID),
		UserIds: id.Convert[int64](behind), Topic: r.m.Topic, MaxRows: maxUnread,
	})
	for _, row := range rows {
		events = append(events, event.MarkedRead(id.Convert[id.Message](row.Messages), id.Convert[id.User](row.UserIds)...))
	}
	return events, err
}

// announcements returns functions that send the notification bot's messages in both topics when messages are moved to
// another stream.
func (s *Service) announcements(ctx context.Context, tx *store.Tx, r revision) (notices []func(ctx context.Context) error, err error) {
	topic := r.m.Topic
	if r.change.Topic != nil {
		topic = *r.change.Topic
	}
	mover := fmt.Sprintf("@_**%s|%d**", r.who.FullName, r.who.User)
	from, to := fmt.Sprintf("#**%s>%s**", r.m.StreamName, r.m.Topic), fmt.Sprintf("#**%s>%s**", r.to.Name, topic)
	for _, notice := range []struct {
		wanted bool
		in     id.Stream
		says   catalogue.StreamNotice
	}{
		{r.change.TellNew, r.to.StreamID, func(in catalogue.Texts) (_, text string) {
			return topic, in.Notices.MovedHere(mover, moved(r.change.Mode, in), from)
		}},
		{r.change.TellOld, r.m.StreamID, func(in catalogue.Texts) (_, text string) {
			return r.m.Topic, in.Notices.MovedAway(mover, moved(r.change.Mode, in), to)
		}},
	} {
		if !notice.wanted {
			continue
		}
		send, err := s.messages.PrepareToStream(ctx, tx, notice.in, notice.says)
		if err != nil {
			return nil, err
		}
		notices = append(notices, send)
	}
	return notices, nil
}

// moved says what a mode moves.
func moved(mode Mode, in catalogue.Texts) string {
	return map[Mode]string{One: in.Notices.AMessage, Later: in.Notices.Messages, All: in.Notices.ThisTopic}[mode]
}
