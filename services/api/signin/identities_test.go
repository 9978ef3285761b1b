package signin_test

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/account"
	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/servicetest"
)

// linked links an account to an identity at each of some identity providers, one per minute.
func linked(t *testing.T, w *servicetest.World, to servicetest.Account, issuers ...string) {
	t.Helper()
	storetest.Connect(t, w.DatabaseURL).Exec(`insert into identities (org_id, issuer, subject, user_id, linked_at)
		select $1, issuer, 'somebody ' || $2::bigint, $2, to_timestamp(60 * n) from unnest($3::text[]) with ordinality i (issuer, n)`, to.Org.ID, to.ID, issuers)
}

func identities(a servicetest.Account) []account.Linked {
	reply := struct{ Identities []account.Linked }{}
	a.Do(http.MethodGet, "/identities", nil).OK().Decode(&reply)
	return reply.Identities
}

func TestIdentities(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann, bob := w.Person("Ann", actor.Member), w.Person("Bob", actor.Guest)
	linked(t, w, ann, "https://b.example", "https://a.example")
	linked(t, w, bob, "https://a.example")
	if diff := cmp.Diff([]account.Linked{{Issuer: "https://b.example", Created: 60}, {Issuer: "https://a.example", Created: 120}}, identities(ann)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]account.Linked{{Issuer: "https://a.example", Created: 60}}, identities(bob)); diff != "" {
		t.Error(diff)
	}
	w.Bot("Robot", actor.GenericBot, ann).Do(http.MethodGet, "/identities", nil).Fails(400, "", "This endpoint does not accept bot requests.")
}
