package topic_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/topic"
	"chatserver.dev/pkg/user"
)

func TestMutedBy(t *testing.T) {
	t.Parallel()
	db, url := storetest.OpenURL(t)
	orgs := org.New(db, org.Config{ExternalHost: "chat.example", ExternalScheme: "https"}, time.Now)
	acme, err := orgs.Create(t.Context(), org.Draft{Name: "acme", Settings: org.Defaults()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	people := []id.User{}
	for _, name := range []string{"ada", "bob"} {
		err := db.Write(t.Context(), acme.ID, func(tx *store.Tx) error {
			made, _, err := user.New(db, orgs, time.Now).Create(t.Context(), tx, acme, user.Draft{
				RealEmail: name + "@corp.example", FullName: name, Role: actor.Member,
			})
			people = append(people, made.ID)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	sql := storetest.Connect(t, url)
	sql.Exec(`insert into streams (org_id, stream_id, name, deactivated) values ($1, 9001, 'a', false), ($1, 9002, 'b', true)`, acme.ID)
	at := time.Unix(1_700_000_000, 0)
	sql.Exec(`insert into muted_topics (org_id, user_id, stream_id, topic, muted_at) values
		($1, $2, 9001, 'Late', $4), ($1, $2, 9001, 'early', $4::timestamptz - interval '1 s'), ($1, $2, 9002, 'gone', $4), ($1, $3, 9001, 'his', $4)`,
		acme.ID, people[0], people[1], at)
	muted := []topic.Muted(nil)
	err = db.Read(t.Context(), acme.ID, func(tx *store.Tx) (err error) {
		muted, err = topic.MutedBy(t.Context(), tx, people[0])
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	want := [][3]any{{id.Stream(9001), "early", int64(1_699_999_999)}, {id.Stream(9001), "Late", int64(1_700_000_000)}}
	if diff := cmp.Diff(want, topic.Tuples(muted)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
