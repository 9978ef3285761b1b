package bounds_test

import (
	"fmt"
	"testing"

	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
)

// However many people have read some of the messages that are moved, they keep what they have read, and each transaction writes the marks of
// some of them.
func TestMarksOfManyReaders(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := newWorld(t, 2200)
	hall := w.crowded(60)
	first := storetest.Values[int64](w.sql, "select min(message_id) from messages where topic = 'valve'")[0]
	w.sql.Exec("update subscriptions set read_upto = 0 where stream_id = $1", hall)
	// Half of them have read the topic, and half the one that it moves to.
	w.sql.Exec(`insert into topic_marks (org_id, stream_id, user_id, topic_key, read_upto)
		select org_id, stream_id, user_id, case when user_id % 2 = 0 then 'valve' else 'pipe 1' end, $2 from subscriptions where stream_id = $1`, hall, first+30)
	read := func() string {
		return storetest.Values[string](w.sql, `select count(*) || ' ' || md5(string_agg(s.user_id || ' ' || m.message_id, ',' order by s.user_id, m.message_id))
			from messages m join subscriptions s on s.stream_id = m.stream_id join users u on u.user_id = s.user_id
			left join topic_marks t on t.stream_id = m.stream_id and t.topic_key = m.topic_key and t.user_id = u.user_id
			left join unread_again a on a.user_id = u.user_id
			where m.topic <> 'stream events' and is_read(m.message_id, s.user_id = m.sender_id, m.flags, greatest(u.read_upto, s.read_upto, t.read_upto), t.read, a.messages)`)[0]
	}
	before := read()
	w.look()
	w.ada.Do("PATCH", fmt.Sprintf("/messages/%d", first), params{"topic": "pipe 1", "propagate_mode": "change_all"}).OK()
	w.Resume()
	w.holds("a move", bound{events: 2, bytes: 20_000, rows: 1000})
	if after := read(); after != before {
		t.Errorf("what is read: %s, was %s", after, before)
	}
	if left := storetest.Values[int64](w.sql, "select count(*) from messages where topic = 'valve'")[0]; left != 0 {
		t.Errorf("%d messages are left", left)
	}
}
