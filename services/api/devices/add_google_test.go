package devices_test

import (
	"net/http"
	"strings"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/services/servicetest"
)

// Any text up to a length is a valid token of Google's.
func TestAddGoogle(t *testing.T) {
	t.Parallel()
	ann := servicetest.New(t).Person("Ann", actor.Member)
	ann.Do(http.MethodPost, google, params{"token": "a:b-c_d"}).OK()
	ann.Do(http.MethodPost, google, params{"token": strings.Repeat("ä", 2048)}).OK()
	ann.Do(http.MethodPost, google, params{"token": strings.Repeat("ä", 2048) + "x"}).Fails(400, "BAD_REQUEST", "Empty or invalid length token")
	ann.Do(http.MethodPost, google, params{"token": ""}).Fails(400, "BAD_REQUEST", "Empty or invalid length token")
}
