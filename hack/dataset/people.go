package dataset

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"chatserver.dev/pkg/id"
)

// loader fills a database, one step after the other.
type loader struct {
	Spec
	db       *pgx.Conn
	made     Organization
	users    []id.User         // the first one is the reader
	partners []id.Conversation // of the reader with the users that follow
}

func (l *loader) organization(ctx context.Context) error {
	return l.db.QueryRow(ctx, `insert into organizations (subdomain, name) values ($1, 'Loaded') returning org_id`, l.Subdomain).Scan(&l.made.ID)
}

// account returns the login of a user. The database has the sum of its key.
func (l *loader) account(i int) Account {
	return Account{
		User: l.users[i], Email: fmt.Sprintf("u%d.%d@load.example", i+1, l.made.ID), Key: fmt.Sprintf("%016d%016d", l.made.ID, i+1),
	}
}

func (l *loader) accounts(ctx context.Context) (err error) {
	l.users, err = collect[id.User](ctx, l.db, `insert into users (org_id, email, full_name, api_key_hash)
		select $1::bigint, format('u%s.%s@load.example', i, $1), 'Person ' || i,
			sha256(convert_to(lpad($1::text, 16, '0') || lpad(i::text, 16, '0'), 'UTF8'))
		from generate_series(1, $2::bigint) i order by i returning user_id`, l.made.ID, l.Users)
	if err != nil {
		return err
	}
	l.made.Reader = l.account(0)
	_, err = l.db.Exec(ctx, `insert into users (org_id, email, full_name, bot_type, system)
		values ($1::bigint, format('notification-bot.%s@load.example', $1), 'Notification Bot', 1, true)`, l.made.ID)
	return err
}

func (l *loader) streams(ctx context.Context) (err error) {
	l.made.Streams, err = collect[id.Stream](ctx, l.db, `insert into streams (org_id, name, description)
		select $1, 'stream ' || i, 'What belongs to ' || i from generate_series(1, $2::bigint) i order by i returning stream_id`,
		l.made.ID, l.Streams)
	return err
}

// subscriptions subscribes the reader to the most used streams, and everybody else to some of all.
func (l *loader) subscriptions(ctx context.Context) error {
	_, err := l.db.Exec(ctx, `insert into subscriptions (org_id, stream_id, user_id, color, received)
		select $1::bigint, s, ($3::bigint[])[1], '#c2c2c2', '{[1,)}'::int8multirange from unnest(($2::bigint[])[:$5::int]) s
		union all
		select distinct on (s, u) $1::bigint, ($2::bigint[])[s], ($3::bigint[])[u], '#c2c2c2', '{[1,)}'::int8multirange
		from generate_series(2, cardinality($3::bigint[])) u cross join generate_series(1, $4::int) n
		cross join lateral (select 1 + (u * 7 + n * n) % cardinality($2::bigint[]) as s) chosen`,
		l.made.ID, l.made.Streams, l.users, l.Subscriptions, l.ReaderStreams)
	return err
}

// conversations are those of the reader with some others.
func (l *loader) conversations(ctx context.Context) (err error) {
	const limit = 100
	others := l.users[min(1, len(l.users)-1):min(limit+1, len(l.users))]
	l.partners, err = collect[id.Conversation](ctx, l.db, `insert into conversations (org_id, members)
		select $1, array(select distinct m from unnest(array[$2::bigint, o]) m order by m) from unnest($3::bigint[]) with ordinality as t(o, n)
		order by n returning conversation_id`, l.made.ID, l.users[0], others)
	if err != nil {
		return err
	}
	_, err = l.db.Exec(ctx, `insert into conversation_members (org_id, user_id, conversation_id)
		select $1, unnest(members), conversation_id from conversations where org_id = $1`, l.made.ID)
	l.made.Partner, l.made.Conversation = l.account(min(1, len(l.users)-1)), l.partners[0]
	return err
}

// collect returns the only column of a query.
func collect[T any](ctx context.Context, db *pgx.Conn, sql string, args ...any) ([]T, error) {
	rows, err := db.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[T])
}
