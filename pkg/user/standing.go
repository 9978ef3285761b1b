package user

import (
	"context"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/steps"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/stream"
)

// The numbers of streams in which one transaction reports that an account is active again, or isn't any more. The
// transaction that changes the account reports it in minReported.
const (
	minReported = 50
	maxReported = 200
)

// maxLocked is the maximum number of streams that a deactivation locks.
const maxLocked = 500

// reporting is the rest of reporting in which streams an account is active again, or isn't any more: those after After.
type reporting struct {
	User  id.User
	After id.Stream
	// The messages that an account which is active again hasn't received: from Missed, which is 0 if there are none, to Before.
	Missed, Before int64
}

// reportings returns the kind of change that does so.
func reportings() steps.Kind[reporting] {
	return steps.NewKind("report_subscriber", minReported, maxReported, reportMore)
}

// Kinds returns the kinds of changes that take several transactions.
func (*Service) Kinds() []steps.Resumable { return []steps.Resumable{reportings()} }

// LockStreams keeps others from changing the subscriptions to the streams of accounts until the transaction ends. A
// transaction that calls [Update] to deactivate several accounts calls it before the first one, after the locks of
// accounts, since Update does so for its account alone.
func LockStreams(ctx context.Context, tx *store.Tx, of ...id.User) error {
	return tx.LockStreamsOf(ctx, id.Convert[int64](of), 0, maxLocked)
}

// nextStreams returns the next streams in which others learn that an account is active or isn't. For the others, an account
// that is deactivated leaves the lists of subscribers with [event.RealmUserRemove], so these are only the streams that have
// no other subscriber. One that is active again is missing in lists that were read meanwhile.
func nextStreams(ctx context.Context, tx *store.Tx, left reporting, active bool, limit int) ([]sqlc.StreamsWithRow, error) {
	locked := limit
	if !active {
		locked = maxLocked // most have other subscribers
	}
	if err := tx.LockStreamsOf(ctx, []int64{int64(left.User)}, int64(left.After), int32(locked)); err != nil {
		return nil, err
	}
	if err := tx.LockActivity(ctx, int64(left.User)); err != nil { // the account may be joining other streams
		return nil, err
	}
	return tx.StreamsWith(ctx, sqlc.StreamsWithParams{UserID: left.User, After: int64(left.After), Lonely: !active, MaxRows: int32(limit)})
}

// forgetAbsence makes messages that were sent to streams while an account wasn't active ones that it hasn't received
// (events.md, section 4.1), instead of thousands of unread ones. The streams are locked, see [nextStreams].
func forgetAbsence(ctx context.Context, tx *store.Tx, left reporting, in []sqlc.StreamsWithRow) error {
	if left.Missed == 0 || len(in) == 0 {
		return nil
	}
	streams := lists.Map(in, func(row sqlc.StreamsWithRow) int64 { return int64(row.Stream.StreamID) })
	return tx.ForgetAbsence(ctx, sqlc.ForgetAbsenceParams{UserID: left.User, StreamIds: streams, Missed: left.Missed, Before: left.Before})
}

// reports returns the events for the others in streams (events.md, sections 3.9 and 3.10).
func reports(u id.User, active bool, in []sqlc.StreamsWithRow) []event.Event {
	events := []event.Event(nil)
	for _, row := range in {
		if !active {
			events = append(events, event.StreamVacated{Streams: []event.Stream{stream.Object(row.Stream)}})
			continue
		}
		if row.Alone && !row.Stream.InviteOnly {
			events = append(events, event.StreamOccupied{Streams: []event.Stream{stream.Object(row.Stream)}})
		}
		events = append(events, event.PeerAdded{Stream: row.Stream.StreamID, User: u, Private: row.Stream.InviteOnly, Altered: []id.User{u}})
	}
	return events
}

// reportMore is the step of a reporting. It reports what the account is now.
func reportMore(ctx context.Context, tx *store.Tx, left *reporting, pace *steps.Pace) (done bool, err error) {
	if err := tx.LockUser(ctx, int64(left.User)); err != nil {
		return false, err
	}
	u, err := ByID(ctx, tx, left.User)
	if err != nil {
		return false, err
	}
	rows, err := nextStreams(ctx, tx, *left, u.Active, pace.Rows())
	if err != nil || len(rows) == 0 {
		return true, err
	}
	left.After = rows[len(rows)-1].Stream.StreamID
	pace.Begin(len(rows))
	if err := forgetAbsence(ctx, tx, *left, rows); err != nil {
		return false, err
	}
	return len(rows) < pace.Rows(), tx.Emit(ctx, reports(u.ID, u.Active, rows)...)
}
