package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store/sqlc"
)

// Log is the event log of all organizations, for the dispatcher. It is safe for concurrent use.
type Log struct {
	db          *DB
	incarnation string // empty: any
}

// upkeepTime bounds what may take the server a while; its own limit is shorter, unless it was configured otherwise.
const upkeepTime = 40 * time.Second

// Log returns the event log.
func (db *DB) Log() Log { return Log{db: db} }

// Of returns the log, to be read only while it has that incarnation, see [Log.Incarnation].
func (l Log) Of(incarnation string) Log { return Log{l.db, incarnation} }

// Position is a place in a shard's log: everything up to and with the event that it names.
type Position struct {
	Xid uint64
	ID  int64
}

// Before reports whether a position comes before another.
func (p Position) Before(other Position) bool {
	return p.Xid < other.Xid || p.Xid == other.Xid && p.ID < other.ID
}

// LogEntry is an event in the log.
type LogEntry struct {
	Position
	Org      id.Org
	Type     string
	Payload  string
	Audience event.Audience
	Change   *event.Change // nil: none
	Trace    string
	Created  time.Time
	Broken   error // why the audience or the change can't be read, and is unset; nil: both can
}

// ErrBroken says that the log has a change that can't be read.
var ErrBroken = errors.New("a change in the event log can't be read")

// ErrOtherHistory says that the database is not the one that a position belongs to, see
// [Log.Incarnation].
var ErrOtherHistory = errors.New("the database has another history than the position in its log")

// Read returns up to limit events of the shard after a position, in order, without those of some organizations. more
// says that there are events behind them that an open transaction still holds back: look again soon. It fails with
// [ErrOtherHistory] where the log has another incarnation than it is read [Log.Of].
func (l Log) Read(ctx context.Context, shard int, after Position, limit int, without ...id.Org) (entries []LogEntry, more bool, err error) {
	orgs := id.Convert[int64](without) // never nil, which SQL would compare nothing with
	rows, err := askOf(ctx, l, func(ctx context.Context, q *sqlc.Queries) ([]sqlc.ReadLogRow, error) {
		return q.ReadLog(ctx, sqlc.ReadLogParams{
			Shard: int16(shard), AfterXid: after.Xid, AfterID: after.ID, Without: orgs, MaxRows: int32(limit),
		})
	})
	if err != nil {
		return nil, false, err
	}
	entries = make([]LogEntry, 0, len(rows))
	for _, row := range rows {
		if !row.Settled {
			return entries, true, nil
		}
		entries = append(entries, logEntry(row))
	}
	return entries, false, nil
}

// ReadOf returns up to limit events of one organization after a position, up to and with another one that [Log.Read]
// got to. It fails as Read does.
func (l Log) ReadOf(ctx context.Context, org id.Org, after, last Position, limit int) ([]LogEntry, error) {
	rows, err := askOf(ctx, l, func(ctx context.Context, q *sqlc.Queries) ([]sqlc.ReadLogOfRow, error) {
		return q.ReadLogOf(ctx, sqlc.ReadLogOfParams{
			Shard: int16(l.db.Shard(org)), OrgID: org, AfterXid: after.Xid, AfterID: after.ID, LastXid: last.Xid, LastID: last.ID,
			MaxRows: int32(limit),
		})
	})
	if err != nil {
		return nil, err
	}
	entries := make([]LogEntry, len(rows))
	for i, row := range rows {
		entries[i] = logEntry(sqlc.ReadLogRow(row))
	}
	return entries, nil
}

// askOf asks the log's database, unless it has another incarnation than the log.
func askOf[T any](ctx context.Context, l Log, question func(context.Context, *sqlc.Queries) (T, error)) (T, error) {
	return ask(ctx, l.db.everywhere, 2*l.db.everywhere.answer, func(ctx context.Context, conn *pgx.Conn) (answer T, err error) {
		if l.incarnation != "" && conn.PgConn().CustomData()[incarnationKey] != l.incarnation {
			return answer, ErrOtherHistory
		}
		return question(ctx, queries(conn))
	})
}

func logEntry(row sqlc.ReadLogRow) LogEntry {
	entry := LogEntry{
		Position: Position{row.Xid, row.ID}, Org: row.OrgID, Type: row.Type, Payload: row.Payload, Trace: row.Trace, Created: row.CreatedAt,
	}
	if err := json.Unmarshal([]byte(row.Audience), &entry.Audience); err != nil {
		entry.Audience, entry.Broken = event.Audience{}, fmt.Errorf("read its audience: %w", err)
	}
	if row.Change != nil {
		if err := json.Unmarshal([]byte(*row.Change), &entry.Change); err != nil {
			entry.Change, entry.Broken = nil, fmt.Errorf("read its change: %w", err)
		}
	}
	return entry
}

// Payloads returns the JSON of events as far as the log still holds them.
func (l Log) Payloads(ctx context.Context, shard int, at []Position) (map[Position][]byte, error) {
	xids, ids := make([]string, len(at)), make([]int64, len(at))
	for i, position := range at {
		xids[i], ids[i] = strconv.FormatUint(position.Xid, 10), position.ID
	}
	rows, err := query(ctx, l.db.everywhere, 2*l.db.everywhere.answer, func(ctx context.Context, q *sqlc.Queries) ([]sqlc.EventPayloadsRow, error) {
		return q.EventPayloads(ctx, xids, ids, int16(shard))
	})
	if err != nil {
		return nil, err
	}
	payloads := make(map[Position][]byte, len(rows))
	for _, row := range rows {
		payloads[Position{row.Xid, row.ID}] = []byte(row.Payload)
	}
	return payloads, nil
}

// End is a position that every event committed from now on comes after, and those that are settled now before. It
// fails with [ErrOtherHistory] as Read does.
func (l Log) End(ctx context.Context) (Position, error) {
	xmin, err := askOf(ctx, l, func(ctx context.Context, q *sqlc.Queries) (int64, error) { return q.LogPosition(ctx) })
	return Position{Xid: uint64(xmin)}, err // transaction ids are 63 bits
}

// Incarnation names the history that the log's positions belong to: another database, or the same
// one after a restore or a failover, has another. Positions of two incarnations can't be compared.
func (l Log) Incarnation(ctx context.Context) (string, error) {
	return query(ctx, l.db.everywhere, 2*l.db.everywhere.answer, func(ctx context.Context, q *sqlc.Queries) (string, error) {
		return q.Incarnation(ctx)
	})
}

// incarnationKey is where a connection keeps the incarnation that it belongs to: a failover or a
// restore ends all connections, so it needs to be asked for once for each.
const incarnationKey = "incarnation"

func noteIncarnation(ctx context.Context, conn *pgx.Conn) error {
	incarnation, err := queries(conn).Incarnation(ctx)
	conn.PgConn().CustomData()[incarnationKey] = incarnation
	return err
}

// Maintain makes the log's coming partitions and drops those that are older than keep.
func (l Log) Maintain(ctx context.Context, keep time.Duration) error {
	_, err := query(ctx, l.db.everywhere, upkeepTime, func(ctx context.Context, q *sqlc.Queries) (any, error) {
		return nil, q.MaintainEventLog(ctx, keep.Seconds())
	})
	return err
}

// Roster is who is in an organization and who is subscribed to what: what audiences are made of.
type Roster struct {
	Accounts      map[id.User]event.Account
	Subscriptions []event.Membership
	// Undo are the changes which happened after the position that was asked for and which the
	// roster already has, newest first.
	Undo []event.Change
}

// Roster reads an organization's roster, and what must be undone in it to have it as it was at a
// position in its shard's log.
func (l Log) Roster(ctx context.Context, org id.Org, at Position) (Roster, error) {
	options := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	roster, err := ask(ctx, l.db.everywhere, upkeepTime, func(ctx context.Context, conn *pgx.Conn) (Roster, error) {
		roster := Roster{Accounts: map[id.User]event.Account{}}
		// A dead connection would be waited for as long as a large organization.
		asking, cancel := context.WithTimeout(ctx, l.db.everywhere.answer)
		err := conn.Ping(asking)
		cancel()
		if err != nil {
			return roster, err
		}
		err = pgx.BeginTxFunc(ctx, conn, options, func(tx pgx.Tx) error { return roster.read(ctx, queries(tx), org, l.db.Shard(org), at) })
		return roster, err
	})
	return roster, wrap(err, "read a roster")
}

func (r *Roster) read(ctx context.Context, q *sqlc.Queries, org id.Org, shard int, at Position) error {
	accounts, err := q.AllAccounts(ctx, org)
	if err != nil {
		return err
	}
	for _, a := range accounts {
		bot := actor.Human
		if a.BotType != nil {
			bot = *a.BotType
		}
		r.Accounts[a.UserID] = event.Account{Role: a.Role, Bot: bot, Active: a.Active}
	}
	subscriptions, err := q.AllSubscriptions(ctx, org)
	if err != nil {
		return err
	}
	r.Subscriptions = make([]event.Membership, len(subscriptions))
	for i, s := range subscriptions {
		r.Subscriptions[i] = event.Membership{Stream: s.StreamID, User: s.UserID}
	}
	changes, err := q.ChangesSince(ctx, sqlc.ChangesSinceParams{
		Shard: int16(shard), AfterXid: at.Xid, AfterID: at.ID, OrgID: org,
	})
	if err != nil {
		return err
	}
	for _, text := range changes {
		change := event.Change{}
		if err := json.Unmarshal([]byte(*text), &change); err != nil {
			return fmt.Errorf("%w: %w", ErrBroken, err)
		}
		r.Undo = append(r.Undo, change)
	}
	return nil
}
