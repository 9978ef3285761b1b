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

// upkeepTime is the time limit of long queries. The server's own statement timeout is shorter by default.
const upkeepTime = 40 * time.Second

// Log returns the event log.
func (db *DB) Log() Log { return Log{db: db} }

// Of returns the log, whose reads fail with [ErrOtherHistory] if it has another incarnation, see [Log.Incarnation].
func (l Log) Of(incarnation string) Log { return Log{l.db, incarnation} }

// Position is a position in a shard's log: after the event with this transaction and id.
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
	Trace    string        // of the call that recorded it, in the W3C form; empty: that isn't traced
	Created  time.Time
	Broken   error // why Audience or Change couldn't be decoded and is unset; nil: both were
}

// ErrBroken reports that the log has a change that can't be decoded.
var ErrBroken = errors.New("a change in the event log can't be read")

// ErrOtherHistory reports that a position belongs to another incarnation of the database, see [Log.Incarnation].
var ErrOtherHistory = errors.New("the database has another history than the position in its log")

// maxRead is the size of payloads, in bytes, after which a read of the log ends.
const maxRead = 1 << 20

// IsFull reports whether a read with a limit that returned these events may have left some to the next read.
func IsFull(entries []LogEntry, limit int) bool {
	size := 0
	for _, entry := range entries {
		size += len(entry.Payload)
	}
	return len(entries) == limit || size >= maxRead
}

// Read returns up to limit events of the shard after a position, in order, without those of some organizations. It returns
// fewer if they are large; see [IsFull]. more reports that later events are held back by an open transaction: read again
// soon. It fails with [ErrOtherHistory] if the log has another incarnation than that of [Log.Of].
func (l Log) Read(ctx context.Context, shard int, after Position, limit int, without ...id.Org) (entries []LogEntry, more bool, err error) {
	orgs := id.Convert[int64](without) // never nil: no row would satisfy a comparison with null
	rows, err := askOf(ctx, l, func(ctx context.Context, q *sqlc.Queries) ([]sqlc.ReadLogRow, error) {
		return q.ReadLog(ctx, sqlc.ReadLogParams{
			Shard: int16(shard), AfterXid: after.Xid, AfterID: after.ID, Without: orgs, MaxRows: int32(limit), MaxBytes: maxRead,
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

// ReadOf returns up to limit events of one organization after a position and up to last, a position that [Log.Read] has
// reached. It returns fewer if they are large, and fails as Read does.
func (l Log) ReadOf(ctx context.Context, org id.Org, after, last Position, limit int) ([]LogEntry, error) {
	rows, err := askOf(ctx, l, func(ctx context.Context, q *sqlc.Queries) ([]sqlc.ReadLogOfRow, error) {
		return q.ReadLogOf(ctx, sqlc.ReadLogOfParams{
			Shard: int16(l.db.Shard(org)), OrgID: org, AfterXid: after.Xid, AfterID: after.ID, LastXid: last.Xid, LastID: last.ID,
			MaxRows: int32(limit), MaxBytes: maxRead,
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

// askOf runs question, or fails with [ErrOtherHistory] if the database has another incarnation than the log.
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

// Payload is an event's JSON, and the organization that it belongs to.
type Payload struct {
	Org  id.Org
	JSON []byte
}

// Payloads returns the payloads of the events at these positions, without those that are no longer in the log.
func (l Log) Payloads(ctx context.Context, shard int, at []Position) (map[Position]Payload, error) {
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
	payloads := make(map[Position]Payload, len(rows))
	for _, row := range rows {
		payloads[Position{row.Xid, row.ID}] = Payload{row.OrgID, []byte(row.Payload)}
	}
	return payloads, nil
}

// End returns a position before every event that is committed from now on, and after every event that [Log.Read]
// returns now. It fails with [ErrOtherHistory] as Read does.
func (l Log) End(ctx context.Context) (Position, error) {
	xmin, err := askOf(ctx, l, func(ctx context.Context, q *sqlc.Queries) (int64, error) { return q.LogPosition(ctx) })
	return Position{Xid: uint64(xmin)}, err // transaction ids are 63 bits
}

// Incarnation returns an identifier of the history that the log's positions belong to. Another database, or the same
// one after a restore or a failover, has another. Positions of different incarnations can't be compared.
func (l Log) Incarnation(ctx context.Context) (string, error) {
	return query(ctx, l.db.everywhere, 2*l.db.everywhere.answer, func(ctx context.Context, q *sqlc.Queries) (string, error) {
		return q.Incarnation(ctx)
	})
}

// incarnationKey is the key of a connection's incarnation in its custom data. A failover or a restore ends all
// connections, so the incarnation is read once per connection.
const incarnationKey = "incarnation"

func noteIncarnation(ctx context.Context, conn *pgx.Conn) error {
	incarnation, err := queries(conn).Incarnation(ctx)
	conn.PgConn().CustomData()[incarnationKey] = incarnation
	return err
}

// HasExpiring reports whether there are events of a shard after a position that [Log.Maintain] deletes. It fails as Read does.
func (l Log) HasExpiring(ctx context.Context, shard int, after Position, keep time.Duration) (bool, error) {
	return askOf(ctx, l, func(ctx context.Context, q *sqlc.Queries) (bool, error) {
		return q.HasExpiring(ctx, sqlc.HasExpiringParams{Shard: int16(shard), AfterXid: after.Xid, AfterID: after.ID, KeepSeconds: keep.Seconds()})
	})
}

// forgetAtOnce is the maximum number of events that one transaction of [Log.ForgetOtherHistory] deletes.
const forgetAtOnce = 500

// ForgetOtherHistory deletes the events of a shard that a restored dump has brought from another server and that come
// after all transactions of this one. Otherwise they would be read as new events once it gets there.
func (l Log) ForgetOtherHistory(ctx context.Context, shard int) error {
	for {
		deleted, err := query(ctx, l.db.everywhere, upkeepTime, func(ctx context.Context, q *sqlc.Queries) (int64, error) {
			return q.ForgetOtherHistory(ctx, int16(shard), forgetAtOnce)
		})
		if err != nil || deleted == 0 {
			return err
		}
	}
}

// Maintain creates the log's next partitions and drops those that are older than keep.
func (l Log) Maintain(ctx context.Context, keep time.Duration) error {
	return upkeep(ctx, l.db.everywhere, func(ctx context.Context, q *sqlc.Queries) error { return q.MaintainEventLog(ctx, keep.Seconds()) })
}

// Roster is the accounts and subscriptions of an organization, from which audiences are resolved.
type Roster struct {
	Accounts      map[id.User]event.Account
	Subscriptions []event.Membership
	// Undo are the changes after the requested position that the roster already contains, newest first.
	Undo []event.Change
}

// Roster reads an organization's roster, and the changes to undo in it to get the roster at a position in its shard's
// log.
func (l Log) Roster(ctx context.Context, org id.Org, at Position) (Roster, error) {
	options := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	roster, err := ask(ctx, l.db.everywhere, upkeepTime, func(ctx context.Context, conn *pgx.Conn) (Roster, error) {
		roster := Roster{Accounts: map[id.User]event.Account{}}
		// Without this, a dead connection would be noticed only after upkeepTime.
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
