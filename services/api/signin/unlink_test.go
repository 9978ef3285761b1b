package signin_test

import (
	"net/http"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/services/servicetest"
)

func TestUnlink(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann, bob := w.Person("Ann", actor.Member), w.Person("Bob", actor.Member)
	linked(t, w, ann, "https://a.example", "https://b.example")
	linked(t, w, bob, "https://a.example")
	unlink := func(issuer string) servicetest.Answer {
		return ann.Do(http.MethodDelete, "/identities", params{"issuer": issuer})
	}
	const refusal = "Your account isn't linked to this identity provider."
	unlink("https://c.example").Fails(400, "BAD_REQUEST", refusal)
	unlink("https://a.example").OK()
	unlink("https://a.example").Fails(400, "BAD_REQUEST", refusal)
	ann.Do(http.MethodDelete, "/identities", nil).Fails(400, "REQUEST_VARIABLE_MISSING", "Missing 'issuer' argument")
	if left := identities(ann); len(left) != 1 || left[0].Issuer != "https://b.example" {
		t.Errorf("%v", left)
	}
	if left := identities(bob); len(left) != 1 {
		t.Errorf("another account's: %v", left)
	}
}
