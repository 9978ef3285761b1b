package bots_test

import (
	"fmt"
	"net/http"
	"strconv"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/servicetest"
)

type params = servicetest.Params

func at(a servicetest.Account) string { return fmt.Sprintf("/bots/%d", a.ID) }

// made creates a bot with POST /bots.
func made(w *servicetest.World, by servicetest.Account, short string, more params) servicetest.Account {
	w.T.Helper()
	p := params{"full_name": "Bot " + short, "short_name": short}
	for name, value := range more {
		p[name] = value
	}
	reply := struct {
		APIKey string `json:"api_key"`
	}{}
	by.Do(http.MethodPost, "/bots", p).OK().Decode(&reply)
	number := storetest.Values[int64](storetest.Connect(w.T, w.DatabaseURL), "select user_id from users where email = $1 and org_id = $2",
		short+"-bot@"+servicetest.Host, by.Org.ID)[0]
	return w.Existing(by.Org, id.User(number), reply.APIKey)
}

// abroad returns a member of another organization.
func abroad(w *servicetest.World) servicetest.Account {
	return w.Account(w.NewOrg("other"), user.Draft{FullName: "Eve", Role: actor.Owner})
}

func text[T int | int64](n T) string { return strconv.FormatInt(int64(n), 10) }

func exec(t *testing.T, w *servicetest.World, sql string, args ...any) {
	t.Helper()
	storetest.Connect(t, w.DatabaseURL).Exec(sql, args...)
}
