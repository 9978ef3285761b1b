package presence_test

import (
	"net/http"
	"testing"
	"time"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/presence"
	"chatserver.dev/services/servicetest"
)

type params = servicetest.Params

type object = map[string]any

// reported makes a report of some time ago, and returns its time in Unix seconds.
func reported(w *servicetest.World, user id.User, client string, status presence.Status, ago time.Duration) float64 {
	w.T.Helper()
	by, r := presence.Reporter{Org: w.Org.ID, User: user, Client: client}, presence.Report{Status: status, At: time.Now().Add(-ago).Unix()}
	if _, _, err := w.Presence.Report(w.T.Context(), by, r, false); err != nil {
		w.T.Fatal(err)
	}
	if err := w.Presence.MarkReported(w.T.Context(), by, r); err != nil {
		w.T.Fatal(err)
	}
	return float64(r.At)
}

// answer returns a response without the envelope.
func answer(a servicetest.Answer) object {
	got := object{}
	a.OK().Decode(&got)
	delete(got, "result")
	delete(got, "msg")
	return got
}

// recent removes the time from an object and checks that it is the current time.
func recent(t *testing.T, from object, member string) object {
	t.Helper()
	at, _ := from[member].(float64)
	if now := float64(time.Now().UnixMicro()) / 1e6; at < now-20 || at > now {
		t.Errorf("%s is %v, and it is %v", member, at, now)
	}
	delete(from, member)
	return from
}

func member(from object, path ...string) object {
	for _, name := range path {
		from, _ = from[name].(object)
	}
	return from
}

func client(name, status string, at float64) object {
	return object{"client": name, "status": status, "timestamp": at, "pushable": false}
}

func aggregated(name, status string, at float64) object {
	return object{"client": name, "status": status, "timestamp": at}
}

// refused is a call that fails.
type refused struct {
	params    params
	code, msg string
}

func (r refused) check(a servicetest.Account, path string) {
	a.Do(http.MethodPost, path, r.params).Fails(http.StatusBadRequest, r.code, r.msg)
}
