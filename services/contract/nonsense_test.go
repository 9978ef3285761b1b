package contract_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/servicetest"
)

// world is a server, and what its requests may name.
type world struct {
	*servicetest.World
	there

	db      *storetest.Session
	digest  string   // the query that sums up all tables
	tables  []string // what it gave at the last look
	written string   // the transaction that came next then
	refused bool     // by the framework: no handler has run since the last request
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{World: servicetest.New(t)}
	w.Failed = func(_ endpoint.Endpoint, _ *fault.Fault, handled bool) { w.refused = !handled }
	ann := w.Person("Ann", actor.Member)
	ann.Subscribe("hall", "x")
	w.message = id.Message(ann.SendStream("hall", "x", "hello"))
	w.user = ann.ID
	w.db = storetest.Connect(t, w.DatabaseURL)
	w.stream = storetest.Values[id.Stream](w.db, "select stream_id from streams where name = 'hall'")[0]
	parts := []string{}
	for _, table := range storetest.Values[string](w.db, `select relname::text from pg_class
		where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by 1`) {
		parts = append(parts, fmt.Sprintf(`select '%s ' || count(*) || ' ' || coalesce(sum(hashtextextended(t::text, 0)), 0) from %q t`, table, table))
	}
	w.digest = strings.Join(parts, " union all ")
	return w
}

// Whatever is sent to an endpoint, by whomever: the answer is in the envelope and no internal error, and
// what is refused changes nothing.
func TestNonsense(t *testing.T) {
	t.Parallel()
	for _, e := range newWorld(t).Endpoints {
		t.Run(e.Route(), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			for _, mine := range w.Endpoints {
				if mine.Route() == e.Route() {
					w.nonsense(t, mine)
				}
			}
		})
	}
}

func (w *world) nonsense(t *testing.T, e endpoint.Endpoint) {
	t.Helper()
	owner := w.Person("Olga", actor.Owner)
	hooks := 64
	if e.Kind() == endpoint.KindHook {
		hooks = 1
	}
	for _, caller := range []struct {
		what    string
		account servicetest.Account
		step    int // of the requests every which one is sent, after the first few
	}{
		{"an owner", owner, 1},
		{"a guest", w.Person("Gus", actor.Guest), 8},
		{"a member", w.Person("Mia", actor.Member), 64},
		{"a bot", w.Bot("Robot", actor.GenericBot, owner), 64},
		{"an integration", w.Bot("Hook", actor.IncomingWebhook, owner), hooks},
		{"nobody", servicetest.Account{}, 64},
	} {
		if caller.account.Key != "" && caller.account.Bot != actor.IncomingWebhook && caller.account.Role != actor.Guest {
			caller.account.Subscribe("x")
		}
		w.look()
		for i, r := range w.requestsOf(e, caller.account) {
			if i < 6 || i%caller.step == 0 {
				w.try(t, e, caller.account, caller.what, r)
			}
		}
	}
}

// requestsOf are the requests to an endpoint with what the account may name.
func (w *world) requestsOf(e endpoint.Endpoint, who servicetest.Account) []request {
	queue := "1:none"
	if who.Key != "" && who.Bot != actor.IncomingWebhook {
		queue = who.Register(servicetest.Params{"event_types": []string{"message"}}).ID
	}
	h := w.hinted(queue)
	list := []request{}
	for attempt := range h.attempts(e) {
		list = append(list, h.requests(e, attempt)...)
	}
	return list
}

// try sends a request and looks at the answer, and at the database.
func (w *world) try(t *testing.T, e endpoint.Endpoint, who servicetest.Account, what string, r request) {
	t.Helper()
	w.refused = false
	answer := r.send(t, w.Handler, e, who)
	envelope := struct {
		Result *string `json:"result"`
		Msg    *string `json:"msg"`
	}{}
	err := json.Unmarshal(answer.Body.Bytes(), &envelope)
	if err != nil || envelope.Result == nil || envelope.Msg == nil || answer.Code >= http.StatusInternalServerError ||
		(*envelope.Result == "success") != (answer.Code == http.StatusOK) {
		t.Errorf("%s as %s, %s: %d %.300s", e.Route(), what, r.what, answer.Code, answer.Body)
	}
	if w.refused {
		return
	}
	before := w.tables
	w.look()
	// An integration tells its bot's owner of what it refused: the one exception, which it declares.
	tells := e.About().Refused != nil && who.Key != ""
	if !slices.Equal(before, w.tables) && answer.Code != http.StatusOK && !tells {
		t.Errorf("%s as %s, %s: it was refused with %.300s, but rows changed:\n%s", e.Route(), what, r.what, answer.Body, cmp.Diff(before, w.tables))
	}
}

// look sums up each table, unless no transaction has written anything since the last look, in whichever
// database of the server.
func (w *world) look() {
	written := storetest.Values[string](w.db, "select pg_snapshot_xmax(pg_current_snapshot())::text")[0]
	if written != w.written {
		w.written, w.tables = written, storetest.Values[string](w.db, w.digest)
	}
}
