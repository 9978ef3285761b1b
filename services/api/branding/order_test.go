package branding_test

import (
	"image/color"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/services/servicetest"
)

// The events of concurrent changes are in the order of the changes, so a client that applies them has the current
// state.
func TestOrderOfChanges(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	olga := w.Person("Olga", actor.Owner)
	image := servicetest.PNG(t, 4, 4, color.Black)
	queues := map[string]*servicetest.Queue{"olga": olga.Everything(nil)}
	state, known := map[string]any{}, map[string]any{}
	for range 10 {
		uploads := sync.WaitGroup{}
		for _, path := range []string{"/realm/icon", "/realm/logo?night=true", "/realm/logo?night=false"} {
			uploads.Go(func() {
				olga.PostFile(path, nil, "picture.png", image).OK()
				olga.Do(http.MethodDelete, path, nil).OK()
				olga.PostFile(path, nil, "picture.png", image).OK()
			})
		}
		uploads.Wait()
		for _, e := range w.EventsOf(queues)["olga"] {
			for name, value := range e["data"].(map[string]any) {
				known["realm_"+name] = value
			}
		}
		olga.RegisterInto(nil, &state)
		for name := range state {
			if !strings.HasPrefix(name, "realm_icon_") && !strings.HasPrefix(name, "realm_logo_") && !strings.HasPrefix(name, "realm_night_logo_") {
				delete(state, name)
			}
		}
		if diff := cmp.Diff(state, known); diff != "" {
			t.Fatalf("(-current state +events):\n%s", diff)
		}
	}
}
