package devices_test

import (
	"net/http"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/services/servicetest"
)

// A token can be removed once, and only by its account.
func TestRemoveApple(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann, bob := w.Person("Ann", actor.Member), w.Person("Bob", actor.Member)
	ann.Do(http.MethodPost, apple, params{"token": "YXBwbGU="}).OK()
	bob.Do(http.MethodDelete, apple, params{"token": "YXBwbGU="}).Fails(400, "BAD_REQUEST", "Token does not exist")
	ann.Do(http.MethodDelete, google, params{"token": "YXBwbGU="}).Fails(400, "BAD_REQUEST", "Token does not exist")
	ann.Do(http.MethodDelete, apple, params{"token": "YXBwbGU="}).OK()
	ann.Do(http.MethodDelete, apple, params{"token": "YXBwbGU="}).Fails(400, "BAD_REQUEST", "Token does not exist")
	ann.Do(http.MethodDelete, apple, params{"token": "abcde"}).Fails(400, "BAD_REQUEST", "Invalid APNS token")
	ann.Do(http.MethodDelete, apple, params{"token": ""}).Fails(400, "BAD_REQUEST", "Empty or invalid length token")
}
