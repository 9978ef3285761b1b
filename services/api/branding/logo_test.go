package branding_test

import (
	"fmt"
	"net/http"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/services/servicetest"
)

func TestLogo(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	gus := w.Person("Gus", actor.Guest)
	leads(t, gus, "/realm/logo", params{"night": true}, fmt.Sprintf("/icon/%d?v=1", w.Org.ID))
	gus.Do(http.MethodGet, "/realm/logo", nil).Fails(400, "REQUEST_VARIABLE_MISSING", "Missing 'night' argument")
}
