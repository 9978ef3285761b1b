package moving_test

import (
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/archive"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/transfer"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/servicetest"
)

// The server's own accounts have different names in an archive, as importing programs require. What they have said is theirs in an
// imported organization, too.
func TestSystemAccounts(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	w.Person("Olga", actor.Owner).Subscribe("hall")
	by := id.User(0)
	err := w.DB.Write(t.Context(), w.Org.ID, func(tx *store.Tx) error {
		gateway, err := user.EnsureGateway(t.Context(), tx, servicetest.Host, time.Now())
		by = gateway.ID
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	db := storetest.Connect(t, w.DatabaseURL)
	db.Exec(storetest.InsertMessages("select $1::bigint as org_id, $2::bigint as sender_id, stream_id, 'mail' as topic from streams where name = 'hall'"), w.Org.ID, by)
	emails, dir := []any{}, export(t, w, w.Org.ID, transfer.Options{})
	for _, row := range read(t, dir)[archive.SystemUsers] {
		emails = append(emails, row["email"])
	}
	if diff := gocmp.Diff([]any{archive.NotificationBot, archive.GatewayBot}, emails); diff != "" {
		t.Error(diff)
	}
	made, _, err := load(t, w, dir, "moved")
	if err != nil {
		t.Fatal(err)
	}
	senders := storetest.Values[string](db, "select distinct case when topic = 'mail' then 'mail: ' else 'notices: ' end || full_name from messages join users on user_id = sender_id where messages.org_id = $1 and system order by 1", made)
	if diff := gocmp.Diff([]string{"mail: Email Gateway", "notices: Notification Bot"}, senders); diff != "" {
		t.Error(diff)
	}
}
