package bots_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/servicetest"
)

func TestPutStorage(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	member := w.Person("Mia", actor.Member)
	bot := w.Bot("Echo", actor.GenericBot, member)
	put := func(entries any) servicetest.Answer {
		return bot.Do(http.MethodPut, "/bot_storage", params{"storage": entries})
	}
	put(map[string]string{"a": "1", "b": "", "": "empty", strings.Repeat("ü", 500): "long"}).OK()
	put(map[string]string{"a": "2"}).OK()
	put(map[string]string{}).OK()
	put(map[string]string{strings.Repeat("ü", 501): "long"}).Fails(400, "", "A key has 501 characters. The limit is 500 characters.")
	put(map[string]any{"a": 1}).Fails(400, "BAD_REQUEST", "storage contains a value that is not a string")
	bot.Do(http.MethodPut, "/bot_storage", nil).Fails(400, "REQUEST_VARIABLE_MISSING", "Missing 'storage' argument")
	many := map[string]string{}
	for i := range 1001 {
		many[text(i)] = ""
	}
	put(many).Fails(400, "", "Request has 1001 keys. The limit is 1000 keys.")
	stored := storetest.Values[string](storetest.Connect(t, w.DatabaseURL), "select left(key, 3) || '=' || value from bot_storage order by key collate \"C\"")
	if got := strings.Join(stored, " "); got != "=empty a=2 b= üüü=long" {
		t.Errorf("stored: %s", got)
	}
}

// The limit on the size of a storage applies to one request and to several.
func TestPutStorageLimits(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	bot, other := w.Bot("Echo", actor.GenericBot, w.Person("Mia", actor.Member)), w.Person("Bob", actor.Member)
	fill := func(entries, characters int) {
		exec(t, w, `delete from bot_storage`)
		exec(t, w, `insert into bot_storage (org_id, user_id, key, value) select $1, $2, 'k' || n, repeat('x', $4 - length('k' || n)) from generate_series(1, $3) n`,
			w.Org.ID, bot.ID, entries, characters/entries)
	}
	put := func(by servicetest.Account, key string, n int) servicetest.Answer {
		return by.Do(http.MethodPut, "/bot_storage", params{"storage": map[string]string{key: strings.Repeat("ü", n)}})
	}
	fill(100, 10_000_000)
	put(bot, "ab", 5).Fails(400, "", "Request exceeds storage limit by 7 characters. The limit is 10000000 characters.")
	put(bot, "k1", 99_999).Fails(400, "", "Request exceeds storage limit by 1 characters. The limit is 10000000 characters.")
	put(bot, "k1", 99_998).OK()
	put(other, "ab", 5).OK()
	fill(10_000, 100_000)
	put(bot, "new", 0).Fails(400, "", "Request exceeds storage limit by 1 keys. The limit is 10000 keys.")
	put(bot, "k1", 100).OK()

	fill(100, 9_900_000)
	all := sync.WaitGroup{}
	for i := range 8 {
		all.Go(func() { put(bot, "n"+text(i), 49_998) })
	}
	all.Wait()
	size := storetest.Values[int64](storetest.Connect(t, w.DatabaseURL), "select sum(characters)::bigint from bot_storage where user_id = $1", bot.ID)[0]
	if size != 10_000_000 {
		t.Errorf("%d characters are stored", size)
	}
}
