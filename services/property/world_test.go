package property_test

import (
	"context"
	"fmt"
	"math/bits"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/servicetest"
)

// Each history is long, and takes about a second.
func TestMain(m *testing.M) {
	testbed.Histories(12)
	os.Exit(m.Run())
}

// suite is a test of many histories.
type suite struct {
	testing.TB
	world *servicetest.World
	conn  *pgx.Conn // as a superuser, for data that the interface doesn't return
	cases int
	// failed is set when a history has been printed. If its actions are concurrent, running the same history again
	// may succeed.
	failed bool
}

func newSuite(t testing.TB) *suite {
	t.Helper()
	w := servicetest.New(t)
	conn, err := pgx.Connect(t.Context(), w.DatabaseURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(t.Context())) })
	return &suite{TB: t, world: w, conn: conn}
}

// history is one case: an organization, and the actions in it.
type history struct {
	*suite // rapid handles failures
	rt     *rapid.T
	people []*person
	steps  []string

	mu sync.Mutex
	// several is set while actions are concurrent. Failures are reported when they are done.
	several bool
	wrong   []string
}

// person is an account in a history.
type person struct {
	servicetest.Account
	id     int64
	name   string
	role   actor.Role
	bot    bool
	client string // which they send from
	words  []string
	gone   map[int64]bool // deleted messages, which later events of flags may still contain
}

// newHistory creates an organization and its people: an owner, an administrator, members, a guest and a bot. Some
// read in the client that they send from, and some have alert words.
func (s *suite) newHistory(rt *rapid.T) *history {
	s.Helper()
	h, w := &history{suite: s, rt: rt}, s.world
	w.T = h
	s.cases++
	o := w.NewOrg(fmt.Sprintf("org%d", s.cases))
	for _, p := range []*person{
		{name: "Olga", role: actor.Owner, client: "website", words: []string{"boiler"}},
		{name: "Adam", role: actor.Administrator},
		{name: "Mia", role: actor.Member, client: "website", words: []string{"boiler", "valve"}},
		{name: "Max", role: actor.Member},
		{name: "Gus", role: actor.Guest, client: "website", words: []string{"valve"}},
		{name: "Bo", role: actor.Member, bot: true},
	} {
		draft := user.Draft{FullName: p.name, Role: p.role}
		if p.bot {
			draft.Bot, draft.Owner = actor.GenericBot, h.person("Mia").ID
		}
		p.Account = w.Account(o, draft)
		p.id, p.gone = int64(p.ID), map[int64]bool{}
		if len(p.words) > 0 { // before the first calls, because the server caches actors with their alert words for seconds
			if _, err := w.Alerts.Add(s.Context(), p.Actor(o, nil), p.words); err != nil {
				h.Fatal(err)
			}
		}
		h.people = append(h.people, p)
	}
	return h
}

func (h *history) person(name string) *person {
	for _, p := range h.people {
		if p.name == name {
			return p
		}
	}
	return nil
}

func (h *history) withID(id int64) *person {
	for _, p := range h.people {
		if p.id == id {
			return p
		}
	}
	return nil
}

// note adds a line to the history.
func (h *history) note(format string, args ...any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.steps = append(h.steps, fmt.Sprintf(format, args...))
}

// do makes a call as an account, and adds it to the history.
func (h *history) do(p *person, method, path string, params servicetest.Params) servicetest.Answer {
	h.Helper()
	answer := p.Do(method, path, params)
	outcome := ""
	if answer.Status != http.StatusOK {
		outcome = ": " + answer.Body
	}
	h.note("%s: %s %s %v%s", p.name, method, path, params, outcome)
	return answer
}

// Helper, Errorf, Fatal and Fatalf make failures of a world those of the history, which is then printed. The message
// for rapid is always the same, so that it doesn't take a shorter history with another failure for the same.

func (h *history) Helper() { h.TB.Helper() }

func (h *history) Errorf(format string, args ...any) {
	if h.later(fmt.Sprintf(format, args...)) {
		return
	}
	h.print(fmt.Sprintf(format, args...))
	h.rt.Error("this history goes wrong")
}

func (h *history) Fatalf(format string, args ...any) {
	if h.later(fmt.Sprintf(format, args...)) {
		runtime.Goexit()
	}
	h.print(fmt.Sprintf(format, args...))
	h.rt.Fatal("this history goes wrong")
}

func (h *history) Fatal(args ...any) { h.Fatalf("%s", fmt.Sprint(args...)) }

// later stores a failure until concurrent actions are done.
func (h *history) later(wrong string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.several {
		h.wrong = append(h.wrong, wrong)
	}
	return h.several
}

// together runs concurrent actions, and then reports failures.
func (h *history) together(work func()) {
	h.Helper()
	set := func(several bool) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.several = several
	}
	set(true)
	work()
	set(false)
	if len(h.wrong) > 0 {
		h.Fatalf("%s", strings.Join(h.wrong, "\n"))
	}
}

// print logs the history and the failure.
func (h *history) print(wrong string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	people := ""
	for _, p := range h.people {
		people += fmt.Sprintf(" %s is %d.", p.name, p.id)
	}
	text := fmt.Sprintf("The history:%s\n%s\n%s", people, strings.Join(h.steps, "\n"), wrong)
	h.rt.Log(text)
	if !h.failed {
		h.failed = true
		h.Log("The first that goes wrong. " + text)
	}
}

// draw chooses an element of a list, which must not be empty.
func draw[T any](h *history, label string, of []T) T {
	return of[h.drawInt(label, 0, len(of)-1)]
}

// weighted is what T may do, and how often that is chosen.
type weighted[T any] struct {
	weight int
	do     func(T)
}

// drawWeighted chooses what to do.
func drawWeighted[T any](h *history, label string, of []weighted[T]) func(T) {
	all := []weighted[T]{}
	for _, one := range of {
		for range one.weight {
			all = append(all, one)
		}
	}
	return draw(h, label, all).do
}

// drawInt chooses a number from least to most, each as often as the others. Generators of package rapid prefer small
// numbers: in a long list, what is listed late would rarely be chosen.
func (h *history) drawInt(label string, least, most int) int {
	const spare = 6 // bits, so that the remainder is almost equally distributed
	span := most - least + 1
	return least + rapid.Custom(func(t *rapid.T) (n int) {
		for range bits.Len(uint(span)) + spare {
			n *= 2
			if rapid.Bool().Draw(t, "bit") {
				n++
			}
		}
		return n % span
	}).Draw(h.rt, label)
}

func (h *history) drawBool(label string) bool { return rapid.Bool().Draw(h.rt, label) }

// one returns true with a probability of 1/in.
func (h *history) one(in int, label string) bool {
	return h.drawInt(label, 1, in) == 1
}

// drawSome chooses at least one element of a list.
func drawSome[T any](h *history, label string, of []T, limit int) []T {
	some := []T{}
	for range h.drawInt(label, 1, limit) {
		some = append(some, draw(h, label, of))
	}
	return some
}

// messagesSince returns the messages after a message, ascending, with their places and recipients.
func (h *history) messagesSince(after int64) []*message {
	h.Helper()
	rows, err := h.conn.Query(h.Context(), `
		select m.message_id, m.sender_id, coalesce(m.stream_id, 0), m.topic, coalesce(c.members, '{}')
		from messages m left join conversations c on c.org_id = m.org_id and c.conversation_id = m.conversation_id
		where m.org_id = $1 and m.message_id > $2 order by m.message_id`, h.people[0].Org.ID, after)
	if err != nil {
		h.Fatal(err)
	}
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (*message, error) {
		m := &message{}
		return m, row.Scan(&m.id, &m.sender, &m.stream, &m.topic, &m.members)
	})
	if err != nil {
		h.Fatal(err)
	}
	return found
}
