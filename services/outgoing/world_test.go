package outgoing_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"syscall"
	"testing"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/services/outgoing"
	"chatserver.dev/services/remote"
	"chatserver.dev/services/servicetest"
)

type params = servicetest.Params

// called is a request that a bot's service got.
type called struct {
	header http.Header
	body   string
}

// world is a server with a bot whose service is the test's.
type world struct {
	*servicetest.World
	t       *testing.T
	sql     *storetest.Session
	ann     servicetest.Account // owns the bot
	bob     servicetest.Account
	service *httptest.Server
	stop    func() // the worker
	permit  remote.Permit

	mutex sync.Mutex
	calls []called
}

func newWorld(t *testing.T, answer http.HandlerFunc) *world {
	t.Helper()
	w := &world{World: servicetest.New(t), t: t, permit: func(string, string, syscall.RawConn) error { return nil }}
	w.sql = storetest.Connect(t, w.DatabaseURL)
	w.service = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.mutex.Lock()
		w.calls = append(w.calls, called{r.Header.Clone(), string(body)})
		w.mutex.Unlock()
		answer(rw, r)
	}))
	t.Cleanup(w.service.Close)
	w.ann, w.bob = w.Person("Ann", actor.Member), w.Person("Bob", actor.Member)
	w.ann.Subscribe("hall")
	w.start()
	return w
}

// start starts a worker, like the one of each process.
func (w *world) start() {
	ctx, cancel := context.WithCancel(context.WithoutCancel(w.t.Context()))
	running := sync.WaitGroup{}
	worker := outgoing.New(outgoing.Deps{Calls: w.Calls, Permit: w.permit, Now: time.Now, Logger: w.Logger})
	running.Go(func() {
		if err := worker.Run(ctx); err != nil {
			w.t.Error(err)
		}
	})
	w.stop = func() { cancel(); running.Wait() }
	w.t.Cleanup(func() { w.stop() })
}

// bot creates Ann's outgoing webhook bot Echo.
func (w *world) bot(kind int) int64 {
	w.t.Helper()
	w.ann.Do(http.MethodPost, "/bots", params{"full_name": "Echo", "short_name": "Echo", "bot_type": 3, "payload_url": w.service.URL + "/hook", "interface_type": kind}).OK()
	return storetest.Values[int64](w.sql, "select user_id from users where full_name = 'Echo'")[0]
}

func (w *world) private(by servicetest.Account, content string, to ...int64) {
	w.t.Helper()
	by.Do(http.MethodPost, "/messages", params{"type": "private", "to": to, "content": content}).OK()
}

// said waits until there is a number of messages of a sender, and returns their contents.
func (w *world) said(by int64, messages int) []string {
	w.t.Helper()
	said := []string{}
	testbed.Until(w.t, fmt.Sprintf("bot %d has said %d messages and no call is left", by, messages), func() bool {
		ended := w.left() == 0 // first: a call ends in the transaction that stores what the bot says
		said = storetest.Values[string](w.sql, "select topic || '|' || content from messages where sender_id = $1 order by message_id", by)
		return len(said) >= messages && ended
	})
	return said
}

// done waits until no calls are left.
func (w *world) done() { w.t.Helper(); w.said(0, 0) }

func (w *world) left() int64 {
	return storetest.Values[int64](w.sql, "select count(*) from webhook_calls")[0]
}

func (w *world) made() []called {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return append([]called(nil), w.calls...)
}

// noticed waits until the notification bot has sent a number of messages to Ann, and returns their contents.
func (w *world) noticed(times int) []string {
	w.t.Helper()
	bot := storetest.Values[int64](w.sql, "select user_id from users where system")[0]
	said := []string{}
	testbed.Until(w.t, fmt.Sprintf("there are %d notices", times), func() bool {
		said = storetest.Values[string](w.sql, "select content from messages where sender_id = $1 and conversation_id is not null order by message_id", bot)
		return len(said) >= times
	})
	return said
}

func answers(text string) http.HandlerFunc {
	return func(rw http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(rw, text) }
}
