package contract_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/services/api"
	"chatserver.dev/services/domain"
	"chatserver.dev/services/events"
	"chatserver.dev/services/servicetest"
	"chatserver.dev/services/webhook"
)

// world is a server, and the objects that its requests may name.
type world struct {
	*servicetest.World
	there

	callers []caller

	db      *storetest.Session
	digest  string   // the query that sums up all tables
	tables  []string // what it gave at the last look
	written string   // the transaction that came next then
	refused bool     // by the framework: no handler has run since the last request
}

// caller is an account, or no account, that sends invalid requests.
type caller struct {
	what    string
	account servicetest.Account
	limit   int // of the requests to an endpoint
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

	owner := w.Person("Olga", actor.Owner)
	w.callers = []caller{
		{"an owner", owner, 90},
		{"a guest", w.Person("Gus", actor.Guest), 18},
		{"a member", w.Person("Mia", actor.Member), 10},
		{"a bot", w.Bot("Robot", actor.GenericBot, owner), 10},
		{"an integration", w.Bot("Hook", actor.IncomingWebhook, owner), 10},
		{"nobody", servicetest.Account{}, 10},
	}
	for _, c := range w.callers {
		if c.account.Key != "" && c.account.Bot != actor.IncomingWebhook && c.account.Role != actor.Guest {
			c.account.Subscribe("x")
		}
	}
	return w
}

// For every request of any caller to an endpoint, the answer is in the envelope and isn't an internal error, and
// refused requests don't change the database. The test sends a fixed sample of the requests, or all of them with
// CONTRACT=all in the environment.
func TestNonsense(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	for _, routes := range groups() {
		t.Run(routes[0], func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			for _, e := range w.Endpoints {
				if slices.Contains(routes, e.Route()) {
					w.nonsense(t, e)
				}
			}
		})
	}
}

// groups returns the routes of the endpoints that are tried in the same world: several that change nothing, several that only send
// messages, or one that changes other things.
func groups() [][]string {
	reads, hooks, list := []string{}, []string{}, [][]string{}
	for _, e := range slices.Concat(api.Endpoints(domain.Domain{}, ""), (*events.Service)(nil).Endpoints(), webhook.Endpoints(nil)) {
		switch {
		case e.Method() == http.MethodGet:
			reads = append(reads, e.Route())
		case e.ByKey():
			hooks = append(hooks, e.Route())
		default:
			list = append(list, []string{e.Route()})
		}
	}
	list = slices.AppendSeq(list, slices.Chunk(reads, 6))
	return slices.AppendSeq(list, slices.Chunk(hooks, 6))
}

func (w *world) nonsense(t *testing.T, e endpoint.Endpoint) {
	t.Helper()
	for _, c := range w.callers {
		if e.Kind() == endpoint.KindHook && c.account.Bot == actor.IncomingWebhook {
			c.limit = 90
		}
		w.db.Exec("update organizations set deactivated = false where deactivated") // the caller before may have done that
		w.look()
		for _, r := range sample(w.requestsOf(e, c.account), c.limit, len(e.Route())) {
			w.try(t, e, c.account, c.what, r)
		}
	}
}

// sample returns the first few of the requests and some of the others, up to limit in all. offset determines the
// others.
func sample(list []request, limit, offset int) []request {
	const always = 6
	if len(list) <= limit || os.Getenv("CONTRACT") == "all" {
		return list
	}
	some := slices.Clone(list[:always])
	step := (len(list)-always)/(limit-always) + 1
	for i := always + offset%step; i < len(list); i += step {
		some = append(some, list[i])
	}
	return some
}

// requestsOf returns the requests to an endpoint, with objects that the account may name.
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

// try sends a request, and checks the answer and the database.
func (w *world) try(t *testing.T, e endpoint.Endpoint, who servicetest.Account, what string, r request) {
	t.Helper()
	w.refused = false
	answer := r.send(t, w.Handler, e, who)
	if answer.Code == http.StatusFound && e.Reply() == reflect.TypeFor[endpoint.Redirect]() {
		return
	}
	envelope := struct {
		Result *string `json:"result"`
		Msg    *string `json:"msg"`
		Code   string  `json:"code"`
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
	// There are two exceptions: an integration that declares so notifies its bot's owner of a refused request, and
	// owners of other bots are notified of streams that the bots didn't find.
	notifies := e.About().Refused != nil && who.Key != "" || who.Bot != actor.Human && envelope.Code == "STREAM_DOES_NOT_EXIST"
	if !slices.Equal(before, w.tables) && answer.Code != http.StatusOK && !notifies {
		t.Errorf("%s as %s, %s: it was refused with %.300s, but rows changed:\n%s", e.Route(), what, r.what, answer.Body, cmp.Diff(before, w.tables))
	}
}

// look computes a sum of each table, unless no transaction of the database server has written anything since the last
// look.
func (w *world) look() {
	written := storetest.Values[string](w.db, "select pg_snapshot_xmax(pg_current_snapshot())::text")[0]
	if written != w.written {
		w.written, w.tables = written, storetest.Values[string](w.db, w.digest)
	}
}
