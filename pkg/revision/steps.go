package revision

import (
	"context"
	"slices"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/steps"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
)

// Numbers of messages that one transaction moves or deletes. The first one of a change uses the minimum.
const (
	minMoved   = 100 // each transaction also reads the marks of all subscribers
	maxMoved   = 500
	maxMarks   = 1000 // of people, in a transaction that moves messages or prepares that
	maxUnread  = 100  // different sets of moved messages that people lose unread
	minDeleted = 20
	maxDeleted = 500
	maxRows    = 1000 // of flags of deleted messages, unless one message has more: that takes a tenth of the time of writing them
	// For reactions to deleted messages.
	minForgotten = 200
	maxForgotten = 1000
)

// moving is the rest of a move: the messages of a topic with ids from Since through Upto, except for Named.
type moving struct {
	Mover       id.User
	At          time.Time
	From, To    id.Stream // equal if the stream doesn't change
	Topic       string
	NewTopic    *string
	Mode        Mode
	Named       id.Message
	Since, Upto id.Message
	Links       []string // in NewTopic
}

// rest returns the rest of a move after some messages. These are in ascending order, except for the first, which is
// the one in the request.
func (r revision) rest(moved []id.Message, upto id.Message) moving {
	left := moving{
		Mover: r.who.User, At: r.at, From: r.m.StreamID, To: r.m.StreamID, Topic: r.m.Topic, NewTopic: r.change.Topic, Mode: r.change.Mode,
		Named: r.m.ID, Since: moved[len(moved)-1] + 1, Upto: upto, Links: r.links,
	}
	if r.change.Stream != nil {
		left.To = r.to.StreamID
	}
	return left
}

// moveMore is a step of a move.
func moveMore(ctx context.Context, tx *store.Tx, left *moving, pace *steps.Pace) (done bool, err error) {
	places := []int64{int64(left.From), int64(left.To)}
	slices.Sort(places)
	for _, place := range slices.Compact(places) {
		if err := tx.LockPlace(ctx, place); err != nil {
			return false, err
		}
	}
	from, err := tx.StreamByID(ctx, left.Mover, left.From)
	if err != nil {
		return false, err
	}
	rows, err := tx.MessagesOfTopic(ctx, sqlc.MessagesOfTopicParams{
		StreamID: &left.From, Topic: left.Topic, Since: left.Since, Upto: int64(left.Upto), Every: true, MaxRows: int32(pace.Rows()),
	})
	if err != nil {
		return false, err
	}
	since := left.Since
	if len(rows) > 0 {
		since = rows[len(rows)-1].MessageID + 1
	}
	done = len(rows) < pace.Rows()
	rows = slices.DeleteFunc(rows, func(row sqlc.MessagesOfTopicRow) bool { return row.MessageID == left.Named })
	if len(rows) == 0 {
		left.Since = since
		return done, nil
	}
	r, err := left.revision(ctx, tx, from.Stream, rows[0].MessageID)
	if err != nil {
		return false, err
	}
	moved := lists.Map(rows, func(row sqlc.MessagesOfTopicRow) id.Message { return row.MessageID })
	// Flags must not change meanwhile.
	if err := tx.LockAllMarks(ctx); err != nil {
		return false, err
	}
	e := r.event()
	if e.Receivers, err = receivers(ctx, tx, r.m, nil); err != nil {
		return false, err
	}
	step, err := relocate(ctx, tx, r, e, moved)
	if err != nil {
		return false, err
	}
	if some, more := step.marks.First(maxMarks); more {
		return false, some.Save(ctx, tx) // a later step moves the messages
	}
	if err := step.encode(); err != nil {
		return false, err
	}
	left.Since = since
	pace.Begin(len(moved))
	return done, step.write(ctx, tx)
}

// revision returns the change of a step whose first message is given.
func (left *moving) revision(ctx context.Context, tx *store.Tx, from sqlc.Stream, first id.Message) (revision, error) {
	r := revision{
		who: actor.New(tx.Org(), actor.Actor{User: left.Mover}), at: left.At, change: Change{Topic: left.NewTopic, Mode: left.Mode}, links: left.Links,
		m: message.Visible{
			ID: first, StreamID: left.From, Topic: left.Topic, StreamName: from.Name, HistoryPublic: from.HistoryPublic,
			Stream: permit.StreamView{InviteOnly: from.InviteOnly, IsWebPublic: from.IsWebPublic},
		},
	}
	if left.To == left.From {
		return r, nil
	}
	to, err := tx.StreamByID(ctx, left.Mover, left.To)
	r.to, r.change.Stream = to.Stream, &left.To
	return r, err
}

// event returns the event of a change, without the fields that depend on the moved messages.
func (r revision) event() event.MessageUpdated {
	return event.MessageUpdated{
		UserID: r.who.User, EditTimestamp: r.at.Unix(), MessageID: r.m.ID, MessageIDs: []id.Message{r.m.ID}, StreamName: r.m.StreamName,
	}
}

// deleting is the rest of the deletion of a topic: the messages with ids from Since through Upto that Reader has
// access to.
type deleting struct {
	Reader      id.User
	Stream      id.Stream
	Topic       string
	Since, Upto id.Message
}

// maxReceivers is the maximum number of receivers in the events of a transaction. Each message has its own event for
// clients that don't support events with several deletions.
const maxReceivers = 50_000

// deleteMore is a step of a deletion.
func deleteMore(ctx context.Context, tx *store.Tx, left *deleting, pace *steps.Pace) (done bool, err error) {
	if err := tx.LockPlace(ctx, int64(left.Stream)); err != nil {
		return false, err
	}
	from, err := tx.StreamByID(ctx, left.Reader, left.Stream)
	if err != nil {
		return false, err
	}
	public := from.Stream.HistoryPublic
	rows, err := tx.MessagesOfTopic(ctx, sqlc.MessagesOfTopicParams{
		StreamID: &left.Stream, Topic: left.Topic, Since: left.Since, Upto: int64(left.Upto), Every: public, Reader: int64(left.Reader),
		MaxRows: int32(pace.Rows()),
	})
	if err != nil {
		return false, err
	}
	done = len(rows) < pace.Rows()
	if len(rows) == 0 {
		return done, nil
	}
	gone := lists.Map(rows, func(row sqlc.MessagesOfTopicRow) id.Message { return row.MessageID })
	if gone, err = fitting(ctx, tx, gone); err != nil {
		return false, err
	}
	done = done && len(gone) == len(rows)
	topic := rows[len(rows)-1].Topic // in its last spelling
	holders, err := tx.HoldersOfAny(ctx, id.Convert[int64](gone), left.Stream, !public)
	if err != nil {
		return false, err
	}
	if limit := max(1, maxReceivers/(len(holders)+1)); len(gone) > limit {
		gone, done = gone[:limit], false
	}
	left.Since = gone[len(gone)-1] + 1
	audience := event.Audience{Users: holders}
	if public {
		audience.Subscribers = left.Stream
	}
	pace.Begin(len(gone))
	return done, archive(ctx, tx, left.Reader, deletedFrom(left.Stream, topic, gone, audience))
}

// forgetting is the rest of the deletion of messages: reactions to them.
type forgetting struct{ Messages []int64 }

// forgettings is the kind of change that removes those reactions.
func forgettings() steps.Kind[forgetting] {
	return steps.NewKind("forget_reactions", minForgotten, maxForgotten, forgetMore)
}

// forgetMore is a step of a forgetting.
func forgetMore(ctx context.Context, tx *store.Tx, left *forgetting, pace *steps.Pace) (done bool, err error) {
	pace.Begin(pace.Rows())
	forgotten, err := tx.ForgetReactions(ctx, left.Messages, int32(pace.Rows()))
	return forgotten < int64(pace.Rows()), err
}
