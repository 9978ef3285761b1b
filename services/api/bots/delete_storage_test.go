package bots_test

import (
	"net/http"
	"strings"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/servicetest"
)

func TestDeleteStorage(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	member := w.Person("Mia", actor.Member)
	bot := w.Bot("Echo", actor.GenericBot, member)
	for _, a := range []servicetest.Account{bot, member} {
		a.Do(http.MethodPut, "/bot_storage", params{"storage": map[string]string{"a": "1", "b": "2", "c": "3"}}).OK()
	}
	remove := func(p params) servicetest.Answer { return bot.Do(http.MethodDelete, "/bot_storage", p) }
	left := func(want string) {
		t.Helper()
		keys := storetest.Values[string](storetest.Connect(t, w.DatabaseURL), "select key from bot_storage where user_id = $1 order by key", bot.ID)
		if got := strings.Join(keys, " "); got != want {
			t.Errorf("left: %s, want %s", got, want)
		}
	}
	remove(params{"keys": []string{"a", "x"}}).Fails(400, "", "Key does not exist.")
	many := []string{}
	for i := range 1001 {
		many = append(many, text(i))
	}
	remove(params{"keys": many}).Fails(400, "", "Request has 1001 keys. The limit is 1000 keys.")
	left("a b c")
	remove(params{"keys": []string{}}).OK()
	left("a b c")
	remove(params{"keys": []string{"a", "a"}}).OK()
	left("b c")
	exec(t, w, `insert into bot_storage (org_id, user_id, key, value) select $1, $2, 'k' || n, '' from generate_series(1, 2500) n`, w.Org.ID, bot.ID)
	remove(nil).OK()
	left("")
	if n := storetest.Values[int64](storetest.Connect(t, w.DatabaseURL), "select count(*) from bot_storage")[0]; n != 3 {
		t.Errorf("%d entries of another account are left", n)
	}
}
