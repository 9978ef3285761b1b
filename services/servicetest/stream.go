package servicetest

import (
	"maps"
	"net/http"
	"strings"

	"chatserver.dev/pkg/store"
)

// Subscribe subscribes the account to streams, making those that don't exist.
func (a Account) Subscribe(streams ...string) {
	a.world.T.Helper()
	a.subscribe(streams, nil)
}

// NewStream is [Account.Subscribe] with more parameters for one stream. It returns the stream's id.
func (a Account) NewStream(name string, more Params) int64 {
	a.world.T.Helper()
	a.subscribe([]string{name}, more)
	return a.StreamID(name)
}

func (a Account) subscribe(streams []string, more Params) {
	a.world.T.Helper()
	wanted := []map[string]string{}
	for _, name := range streams {
		wanted = append(wanted, map[string]string{"name": name})
	}
	request := Params{"subscriptions": wanted}
	maps.Copy(request, more)
	a.Do(http.MethodPost, "/users/me/subscriptions", request).OK()
}

// StreamID returns the id of a stream of the account's organization that isn't archived. The account need not have access to it.
func (a Account) StreamID(name string) (found int64) {
	a.world.T.Helper()
	a.world.must(a.world.DB.Read(a.world.T.Context(), a.Org.ID, func(tx *store.Tx) error {
		rows, err := tx.StreamsByExactName(a.world.T.Context(), []string{name}, []string{strings.ToLower(name)})
		for _, row := range rows {
			found = int64(row.StreamID)
		}
		return err
	}))
	if found == 0 {
		a.world.T.Fatalf("there is no stream %q", name)
	}
	return found
}

// IDs returns the ids of accounts, as parameters have them.
func IDs(accounts ...Account) []int64 {
	list := make([]int64, len(accounts))
	for i, a := range accounts {
		list[i] = int64(a.ID)
	}
	return list
}
