package streams_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/event"
)

// A client that applies events in order has the correct list of default streams, even if streams are deactivated
// while they become default streams.
func TestDefaultsBesideDeactivation(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	watch := w.ann.Watch("default_streams")
	work := sync.WaitGroup{}
	for i := range 20 {
		name := fmt.Sprintf("default %d", i)
		stream := w.admin.NewStream(name, nil)
		work.Go(func() { w.admin.Do(http.MethodPost, "/default_streams", params{"stream_id": stream}) })
		work.Go(func() { w.admin.Do(http.MethodDelete, at("/streams/%d", stream), nil).OK() })
	}
	work.Wait()
	type list struct {
		Heard []event.Stream `json:"default_streams"`
		Now   []event.Stream `json:"realm_default_streams"`
	}
	events, now := list{}, list{}
	for _, raw := range watch.Events() {
		events = list{}
		if err := json.Unmarshal([]byte(raw), &events); err != nil {
			t.Fatal(err)
		}
	}
	w.ann.Do(http.MethodPost, "/register", params{"fetch_event_types": []string{"default_streams"}}).OK().Decode(&now)
	if diff := cmp.Diff(now.Now, events.Heard); diff != "" {
		t.Errorf("default streams of the last event (-now +got):\n%s", diff)
	}
}
