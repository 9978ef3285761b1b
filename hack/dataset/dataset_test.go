package dataset_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"chatserver.dev/hack/dataset"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
)

func TestLoad(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	_, url := storetest.OpenURL(t)
	db, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(t.Context())
	s := storetest.Connect(t, url)
	const indexes = `select indexdef from pg_indexes where tablename = 'messages' order by 1`
	before := storetest.Values[string](s, indexes)
	spec := dataset.Spec{Users: 50, Streams: 20, Subscriptions: 3, ReaderStreams: 5, Topics: 30, Messages: 3000, Private: 0.1}
	for _, subdomain := range []string{"", "second"} {
		spec.Subdomain = subdomain
		o, err := dataset.Load(t.Context(), db, spec)
		if err != nil {
			t.Fatal(err)
		}
		type counts struct{ Users, Streams, Subscribed, Topics, Messages, Private, First, Starts int64 }
		got := storetest.Rows[counts](s, `select (select count(*) from users where org_id = $1 and not system), (select count(*) from streams where org_id = $1),
			(select count(*) from subscriptions where org_id = $1 and user_id = $2), (select count(distinct topic) from messages where org_id = $1 and stream_id = $3),
			count(*), round(avg((conversation_id is not null)::int) * 10)::bigint,
			min(message_id), (select count(*) from streams where org_id = $1 and first_message_id is not null)
			from messages where org_id = $1`, o.ID, o.Reader.User, o.Streams[0])[0]
		want := counts{50, 20, 5, 30, 3000, 1, int64(o.First), 20}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if who := storetest.Values[int64](s, `select user_id from authenticate(sha256(convert_to($1, 'UTF8')))`, o.Reader.Key); len(who) != 1 || who[0] != int64(o.Reader.User) {
			t.Errorf("the reader's key is that of %v", who)
		}
		if n := storetest.Values[int64](s, `select count(*) from messages where conversation_id = $1 and sender_id in ($2, $3)`,
			o.Conversation, o.Reader.User, o.Partner.User)[0]; n < 10 {
			t.Errorf("reader and partner wrote %d messages", n)
		}
	}
	if diff := cmp.Diff(before, storetest.Values[string](s, indexes)); diff != "" {
		t.Errorf("indexes (-before +after):\n%s", diff)
	}
}
