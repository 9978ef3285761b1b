package bounds_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/storetest"
)

// Whoever leaves a stream of many topics leaves their marks of topics behind, which are removed some at a time: but not what they have
// read since they came back, nor what others have.
func TestMarksOfManyTopics(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	hall := w.crowded(10)
	const marks = `insert into topic_marks (org_id, stream_id, user_id, topic_key, read_upto, read) select $1, $2, $3, 'topic ' || n, 1, $5::int8multirange
		from generate_series(1, $4::int) n`
	w.sql.Exec(marks, w.Org.ID, hall, w.ada.ID, 2500, "{[5,9)}")
	w.sql.Exec(marks, w.Org.ID, hall, w.people[0], 300, "{}")
	w.countDeletions("topic_marks")
	limit := bound{events: 10, bytes: 5000, rows: 1000}
	w.look()
	w.ada.Do("DELETE", "/users/me/subscriptions", params{"subscriptions": []string{"hall"}}).OK()
	w.holds("leave", limit)

	w.ada.Subscribe("hall")
	w.sql.Exec("update topic_marks set read_upto = 1e9 where user_id = $1 and topic_key = 'topic 2499'", w.ada.ID)
	w.sql.Exec("update topic_marks set read = '{[5,9),[1000000,1000001)}' where user_id = $1 and topic_key = 'topic 2500'", w.ada.ID)
	w.Resume()
	w.holds("marks of topics", limit)
	if diff := cmp.Diff([]string{"topic 2499", "topic 2500"}, storetest.Values[string](w.sql,
		"select topic_key from topic_marks where user_id = $1 order by 1", w.ada.ID)); diff != "" {
		t.Errorf("marks that are left (-want +got):\n%s", diff)
	}
	if left := storetest.Values[int64](w.sql, "select count(*) from topic_marks where user_id = $1", w.people[0])[0]; left != 300 {
		t.Errorf("%d marks of somebody else", left)
	}
}
