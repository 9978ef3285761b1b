package invites_test

import (
	"encoding/json"
	"net/http"
	"strconv"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/servicetest"
)

type params = servicetest.Params

// world is an organization with people of each role, and streams: hall is public, and vault is private and the
// owner's.
type world struct {
	*servicetest.World
	t                             *testing.T
	sql                           *storetest.Session
	owner, admin, member, another servicetest.Account
	hall, vault                   int64
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{World: servicetest.New(t), t: t}
	w.sql = storetest.Connect(t, w.DatabaseURL)
	w.owner, w.admin = w.Person("Owen", actor.Owner), w.Person("Ada", actor.Administrator)
	w.member, w.another = w.Person("Mia", actor.Member), w.Person("Max", actor.Member)
	w.owner.Subscribe("hall")
	w.owner.Do(http.MethodPost, "/users/me/subscriptions", params{"subscriptions": `[{"name":"vault"}]`, "invite_only": true}).OK()
	w.hall = storetest.Values[int64](w.sql, "select stream_id from streams where name = 'hall'")[0]
	w.vault = storetest.Values[int64](w.sql, "select stream_id from streams where name = 'vault'")[0]
	return w
}

// send invites people to the hall.
func (w *world) send(by servicetest.Account, emails string, more params) servicetest.Answer {
	w.t.Helper()
	p := params{"invitee_emails": emails, "stream_ids": []int64{w.hall}}
	for name, value := range more {
		p[name] = value
	}
	return by.Do(http.MethodPost, "/invites", p)
}

type invitation struct {
	ID      int64  `json:"id"`
	Email   string `json:"email"`
	Inviter int64  `json:"invited_by_user_id"`
	As      int    `json:"invited_as"`
	LinkURL string `json:"link_url"`
	Reused  bool   `json:"is_multiuse"`
}

func (w *world) list(by servicetest.Account) []invitation {
	w.t.Helper()
	list := struct{ Invites []invitation }{}
	by.Do(http.MethodGet, "/invites", nil).OK().Decode(&list)
	return list.Invites
}

// failed fails the test unless inviting has failed with the error.
func failed(t *testing.T, a servicetest.Answer, msg string, sent bool, errors string) {
	t.Helper()
	a.Fails(400, "INVITATION_FAILED", msg)
	got := struct {
		Errors json.RawMessage `json:"errors"`
		Sent   bool            `json:"sent_invitations"`
	}{}
	if a.Decode(&got); got.Sent != sent || string(got.Errors) != errors {
		t.Errorf("%s, want %s", a.Body, errors)
	}
}

func at(id int64) string { return "/invites/" + strconv.FormatInt(id, 10) }
