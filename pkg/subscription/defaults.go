package subscription

import (
	"context"
	"slices"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/stream"
	"chatserver.dev/pkg/user"
)

// The earlier messages of their first public streams that new accounts have received (events.md, section 4.8).
const (
	historyTime   = 7 * 24 * time.Hour
	maxHistory    = 1000 // messages, and streams
	historyUnread = 20   // of them, the newest
)

// FirstStreams is what is left of subscribing a new account to its first streams.
type FirstStreams struct {
	User    id.User
	Streams []id.Stream // that the account isn't subscribed to yet
	Default bool        // they are the organization's default streams
	Inviter id.User     // who chose them; 0: the server
}

// FirstOf returns the first streams of a new account: those of its invitation or, if it has none, the organization's
// default streams. inviter is the account that invited it; 0: the server chose the streams.
func FirstOf(ctx context.Context, tx *store.Tx, newcomer id.User, invited []id.Stream, inviter id.User) (FirstStreams, error) {
	first := FirstStreams{User: newcomer, Streams: invited, Default: len(invited) == 0, Inviter: inviter}
	if !first.Default {
		return first, nil
	}
	rows, err := tx.DefaultStreams(ctx)
	first.Streams = streamIDs(rows)
	return first, err
}

// JoinFirst subscribes a new account to some of the streams that are left: those of its invitation that it may join (see
// [Service.admitted]), or those that are still default streams. When none is left, the account receives recent messages
// of the streams, and JoinFirst is done. Each call needs its own transaction. Nobody is notified.
func (s *Service) JoinFirst(ctx context.Context, tx *store.Tx, left *FirstStreams) (done bool, err error) {
	if len(left.Streams) == 0 {
		return true, s.receiveHistory(ctx, tx, left.User)
	}
	may := stillDefault
	if !left.Default {
		may = func(ctx context.Context, tx *store.Tx, o org.Org, p person, rows []sqlc.Stream) ([]sqlc.Stream, error) {
			return s.admitted(ctx, tx, o, p, rows, left.Inviter)
		}
	}
	some := left.Streams[:min(portionKnown, len(left.Streams))]
	left.Streams = left.Streams[len(some):]
	return false, s.joinSome(ctx, tx, left.User, some, may)
}

func (s *Service) receiveHistory(ctx context.Context, tx *store.Tx, newcomer id.User) error {
	if err := tx.LockOwnMarks(ctx); err != nil {
		return err
	}
	if err := tx.LockAccount(ctx, newcomer); err != nil {
		return err
	}
	return tx.ReceiveHistory(ctx, sqlc.ReceiveHistoryParams{
		UserID: newcomer, Since: s.now().Add(-historyTime), MaxRows: maxHistory, Unread: historyUnread,
	})
}

// Join subscribes an account to any number of streams, including private ones, but not to archived ones. Nobody is
// notified. It can be repeated.
func (s *Service) Join(ctx context.Context, in id.Org, account id.User, streams []id.Stream) error {
	for some := range slices.Chunk(streams, portionKnown) {
		err := s.db.Write(ctx, in, func(tx *store.Tx) error { return s.joinSome(ctx, tx, account, some, everyStream) })
		if err != nil {
			return err
		}
	}
	return nil
}

// rule returns the streams of rows that a person may be subscribed to. The locks on the streams' subscriptions are held.
type rule func(ctx context.Context, tx *store.Tx, o org.Org, p person, rows []sqlc.Stream) ([]sqlc.Stream, error)

// joinSome subscribes an account to those of at most portionKnown streams that the rule allows. It finds streams by id and
// applies the rule while their locks are held, since by then a name may belong to another stream, and a public stream may
// have become private.
func (s *Service) joinSome(ctx context.Context, tx *store.Tx, account id.User, some []id.Stream, may rule) error {
	o, err := s.orgs.Load(ctx, tx)
	if err != nil {
		return err
	}
	seen, err := lockAgain(ctx, tx, account, some)
	if err != nil {
		return err
	}
	whom, err := people(ctx, tx, o, actor.Actor{}, Principals{IDs: []id.User{account}})
	if err != nil {
		return err
	}
	if whom, err = stillActive(ctx, tx, whom); err != nil || len(whom) == 0 {
		return err
	}
	rows, err := may(ctx, tx, o, whom[0], rowsOf(seen))
	if err != nil {
		return err
	}
	j, err := s.prepare(ctx, tx, rows, whom)
	if err != nil {
		return err
	}
	return j.write(ctx, tx, nil)
}

func everyStream(_ context.Context, _ *store.Tx, _ org.Org, _ person, rows []sqlc.Stream) ([]sqlc.Stream, error) {
	return rows, nil
}

func stillDefault(_ context.Context, _ *store.Tx, _ org.Org, _ person, rows []sqlc.Stream) ([]sqlc.Stream, error) {
	return slices.DeleteFunc(rows, func(row sqlc.Stream) bool { return !row.IsDefault }), nil
}

// admitted returns the streams of an invitation that the newcomer may join without it, or that the inviter may subscribe
// them to now: those that the inviter may access (rest-api.md, section 1.9), if the policy permits it (section 8.4). An
// inviter who has left a private stream can't add others to it.
func (s *Service) admitted(
	ctx context.Context, tx *store.Tx, o org.Org, newcomer person, rows []sqlc.Stream, inviter id.User,
) ([]sqlc.Stream, error) {
	if inviter == 0 {
		return rows, nil
	}
	by, err := user.ByID(ctx, tx, inviter)
	if err != nil {
		return nil, err
	}
	in, err := activeAmong(ctx, tx, rows, []person{{id: inviter}})
	if err != nil {
		return nil, err
	}
	adds := by.Active && o.Settings.InviteToStreamPolicy.Allows(by.Actor(o, nil), s.now())
	return slices.DeleteFunc(rows, func(row sqlc.Stream) bool {
		open := !row.InviteOnly && newcomer.role < actor.Guest
		seen := stream.Visible{Stream: row, Subscribed: in[event.Membership{Stream: row.StreamID, User: inviter}]}
		return !open && (!adds || !permit.ReadStream(by.Role, seen.View()))
	}), nil
}
