package events_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/services/events"
	"chatserver.dev/services/servicetest"
)

// A poll of a queue where nothing happens gets one heartbeat, with the next number, whatever types of
// events the queue is for; and the same one again until it is acknowledged (events.md, section 2.8).
func TestHeartbeat(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann := w.Person("Ann", actor.Member)
	ann.Subscribe("boilers")
	for name, queue := range map[string]*servicetest.Queue{
		"without types": ann.Register(servicetest.Params{"event_types": []string{}}),
		"narrow":        messagesOf(ann, servicetest.Params{"narrow": [][]string{{"is", "private"}}}),
	} {
		get := func(last int, immediate bool) servicetest.Answer {
			return ann.Do(http.MethodGet, "/events", servicetest.Params{"queue_id": queue.ID, "last_event_id": last, "dont_block": immediate})
		}
		for beat := range 2 {
			body := fmt.Sprintf(`{"result":"success","msg":"","queue_id":%q,"events":[{"id":%d,"type":"heartbeat"}]}`+"\n", queue.ID, beat)
			waits := make(chan servicetest.Answer, 1)
			go func() { waits <- get(beat-1, false) }()
			w.Parked(1)
			if err := w.Redis.Tick(t.Context(), time.Millisecond); err != nil {
				t.Fatal(err)
			}
			same(t, name+": answer", body, (<-waits).OK().Body)
			for _, immediate := range []bool{false, true} {
				same(t, name+": unacknowledged", body, get(beat-1, immediate).OK().Body)
			}
			if got := get(beat, true).OK().Body; !strings.Contains(got, `"events":[]`) {
				t.Errorf("%s: acknowledged: %s", name, got)
			}
		}
	}
}

// Heartbeats come often enough that no proxy cuts a poll off after a minute, and at most as often as the
// specification has them: whichever replica ticks first, the next tick comes within a third of a period.
func TestHeartbeatPeriod(t *testing.T) {
	t.Parallel()
	least, most := events.TickPeriod-time.Second, events.TickPeriod+events.TickPeriod/3
	if least < 44*time.Second || most > time.Minute {
		t.Errorf("heartbeats come every %v to %v", least, most)
	}
}
