package moving_test

import (
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/archive"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/transfer"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/servicetest"
)

// The server's own accounts have different names in an archive, as importing programs require.
func TestSystemAccounts(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	w.Person("Olga", actor.Owner)
	err := w.DB.Write(t.Context(), w.Org.ID, func(tx *store.Tx) error {
		kind := actor.GenericBot
		_, err := tx.CreateUser(t.Context(), sqlc.CreateUserParams{
			Email: user.Gateway + "@chat.example", FullName: "Email Gateway", Role: actor.Member, BotType: &kind, System: true,
			Settings: []byte("{}"), JoinedAt: time.Now(),
		})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	emails := []any{}
	for _, row := range read(t, export(t, w, w.Org.ID, transfer.Options{}))[archive.SystemUsers] {
		emails = append(emails, row["email"])
	}
	if diff := gocmp.Diff([]any{archive.NotificationBot, archive.GatewayBot}, emails); diff != "" {
		t.Error(diff)
	}
}
