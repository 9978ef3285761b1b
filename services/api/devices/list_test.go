package devices_test

import (
	"net/http"
	"testing"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/push"
	"chatserver.dev/services/servicetest"
)

func TestList(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann, bob := w.Person("Ann", actor.Member), w.Person("Bob", actor.Owner)
	none := list(ann)
	servicetest.Same(t, "none", []push.Device{}, none.Devices)
	if want := (push.Config{Key: servicetest.PushKey}).Keys().Public; none.Key == nil || *none.Key != want || len(want) != 87 {
		t.Errorf("the key is %v, want %s", none.Key, want)
	}
	ann.UserAgent = "Mozilla/5.0 Firefox/140.0"
	number := add(ann, "https://push.example/1")
	got := list(ann).Devices[0]
	if age := time.Since(time.Unix(got.Added, 0)); got.ID != number || got.Client != "Mozilla" || got.Endpoint != "https://push.example/1" || age < -time.Second || age > time.Minute {
		t.Errorf("%+v", got)
	}
	servicetest.Same(t, "others see none of it", []string{}, endpoints(bob))
	w.Bot("Robot", actor.GenericBot, ann).Do(http.MethodGet, route, nil).Fails(400, "", "This endpoint does not accept bot requests.")
}
