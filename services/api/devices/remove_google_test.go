package devices_test

import (
	"net/http"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/services/servicetest"
)

func TestRemoveGoogle(t *testing.T) {
	t.Parallel()
	ann := servicetest.New(t).Person("Ann", actor.Member)
	ann.Do(http.MethodPost, google, params{"token": "a:b"}).OK()
	ann.Do(http.MethodDelete, google, params{"token": "a:b"}).OK()
	ann.Do(http.MethodDelete, google, params{"token": "a:b"}).Fails(400, "BAD_REQUEST", "Token does not exist")
	ann.Do(http.MethodDelete, google, params{"token": ""}).Fails(400, "BAD_REQUEST", "Empty or invalid length token")
}
