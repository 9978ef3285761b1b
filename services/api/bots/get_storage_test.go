package bots_test

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/services/servicetest"
)

func TestGetStorage(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	member := w.Person("Mia", actor.Member)
	bot, other := w.Bot("Echo", actor.GenericBot, member), w.Bot("Other", actor.GenericBot, member)
	bot.Do(http.MethodPut, "/bot_storage", params{"storage": map[string]string{"a": "1", "b": "\u0001\"ü"}}).OK()
	get := func(by servicetest.Account, p params) servicetest.Answer {
		return by.Do(http.MethodGet, "/bot_storage", p)
	}
	same := func(a servicetest.Answer, want map[string]string) {
		t.Helper()
		reply := struct{ Storage map[string]string }{}
		a.OK().Decode(&reply)
		if diff := cmp.Diff(want, reply.Storage); diff != "" {
			t.Errorf("stored (-want +got):\n%s", diff)
		}
	}
	same(get(bot, nil), map[string]string{"a": "1", "b": "\u0001\"ü"})
	same(get(bot, params{"keys": []string{"b", "b"}}), map[string]string{"b": "\u0001\"ü"})
	same(get(bot, params{"keys": []string{}}), map[string]string{})
	same(get(other, nil), map[string]string{})
	get(other, params{"keys": []string{"a"}}).Fails(400, "", "Key does not exist.")
	get(bot, params{"keys": []string{"a", "c"}}).Fails(400, "", "Key does not exist.")
	many := []string{}
	for i := range 1001 {
		many = append(many, text(i))
	}
	get(bot, params{"keys": many}).Fails(400, "", "Request has 1001 keys. The limit is 1000 keys.")
	// A large storage is returned completely.
	exec(t, w, `insert into bot_storage (org_id, user_id, key, value) select $1, $2, 'k' || n, repeat('x', 50000) from generate_series(1, 100) n`, w.Org.ID, other.ID)
	reply := struct{ Storage map[string]string }{}
	get(other, nil).OK().Decode(&reply)
	if len(reply.Storage) != 100 || len(reply.Storage["k7"]) != 50_000 {
		t.Errorf("%d entries", len(reply.Storage))
	}
}
