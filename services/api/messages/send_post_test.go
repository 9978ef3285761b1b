package messages_test

import (
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/services/servicetest"
)

// The tables in rest-api.md, section 2.2.3, with this project's meaning of policy 3. Package permit tests all
// combinations.
func TestSendWhoMayPost(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.set(`{"waiting_period_threshold": 3}`)
	owner, ada := w.Person("Owner", actor.Owner), w.Person("Ada", actor.Administrator)
	ann, old, gus := w.Person("Ann", actor.Member), w.Person("Old", actor.Member), w.Person("Gus", actor.Guest)
	annsBot, oldsBot := w.Bot("Ann's bot", actor.GenericBot, ann), w.Bot("Old's bot", actor.GenericBot, old)
	adasBot, hook := w.Bot("Ada's bot", actor.GenericBot, ada), w.Bot("Hook", actor.IncomingWebhook, old)
	outgoing, annsOutgoing := w.Bot("Outgoing", actor.OutgoingWebhook, old), w.Bot("Ann's outgoing", actor.OutgoingWebhook, ann)
	for _, a := range []servicetest.Account{owner, ada, old, gus, oldsBot, outgoing} {
		w.age(a)
	}
	joined := params{"principals": ids(old)}
	w.stream(ada, "public", joined)
	w.stream(ada, "private", params{"principals": ids(old, gus), "invite_only": true})
	w.stream(ada, "for admins", params{"principals": ids(old), "stream_post_policy": 2})
	w.stream(ada, "for new members", params{"principals": ids(old), "stream_post_policy": 3})
	web := w.stream(ada, "web", joined)
	w.db.Exec("update streams set is_web_public = true where stream_id = $1", web)

	const (
		ok     = ""
		admins = "Only organization administrators can send to this stream."
		recent = "Only new members can send to this stream."
		closed = "Not authorized to send to stream 'private'"
	)
	for _, test := range []struct {
		who    servicetest.Account
		public string
		closed string
		admins string
		recent string
		web    string
	}{
		{owner, ok, closed, ok, ok, ok},
		{ada, ok, closed, ok, ok, ok},
		{ann, ok, closed, admins, ok, ok},
		{old, ok, ok, admins, recent, ok},
		{gus, "Not authorized to send to stream 'public'", ok, admins, recent, ok},
		{annsBot, ok, closed, admins, ok, ok},
		{oldsBot, ok, ok, admins, recent, ok},
		{adasBot, ok, closed, ok, ok, ok},
		{hook, ok, ok, admins, recent, ok},
		{outgoing, ok, ok, admins, recent, ok},
		{annsOutgoing, ok, closed, admins, ok, ok},
	} {
		for name, want := range map[string]string{
			"public": test.public, "private": test.closed, "for admins": test.admins, "for new members": test.recent, "web": test.web,
		} {
			t.Run(test.who.FullName+" to "+name, func(t *testing.T) {
				if want == ok {
					send(test.who, toStream(name)).OK()
					return
				}
				w.unchanged(t, func() { send(test.who, toStream(name)).Fails(400, "BAD_REQUEST", want) })
			})
		}
	}
}

// A deactivated stream isn't found by its name. By its id it is found, but no account may send to it.
func TestSendToDeactivatedStream(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.Person("Ada", actor.Owner)
	hall := w.stream(ada, "hall", nil)
	sent(ada, toStream("hall"))
	w.deactivate(hall)
	w.unchanged(t, func() {
		send(ada, toStream("hall")).Fails(400, "STREAM_DOES_NOT_EXIST", "Stream 'hall' does not exist")
		send(ada, toStream(hall)).Fails(400, "BAD_REQUEST", "Not authorized to send to stream 'hall'")
	})
}

// A bot that sends without a destination sends to its default stream. Other accounts have none.
func TestSendToDefaultStream(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.Person("Ann", actor.Member)
	bot := w.Bot("Robot", actor.GenericBot, ann)
	hall := w.stream(ann, "hall", nil)
	request := with(toStream(nil), "to", nil)
	send(bot, request).Fails(400, "BAD_REQUEST", "Missing stream")
	w.db.Exec("update users set default_sending_stream_id = $1", hall)
	servicetest.Same(t, "the stream", &hall, w.stored(sent(bot, request)).Stream)
	send(ann, request).Fails(400, "BAD_REQUEST", "Missing stream")
}

// Private messages in an organization that has turned them off (rest-api.md, section 2.2.3).
func TestSendPrivatePolicy(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.set(`{"private_message_policy": 2}`)
	ann, bob := w.Person("Ann", actor.Owner), w.Person("Bob", actor.Member)
	robot, other := w.Bot("Robot", actor.GenericBot, ann), w.Bot("Other", actor.GenericBot, ann)
	for _, to := range [][]int64{ids(bob), ids(ann), ids(bob, robot), ids(robot, other), ids(ann, bob, robot)} {
		w.unchanged(t, func() {
			send(ann, toPeople(to)).Fails(400, "BAD_REQUEST", "Private messages are disabled in this organization.")
		})
	}
	sent(ann, toPeople(ids(robot)))
	sent(ann, toPeople(ids(ann, robot)))
	sent(robot, toPeople(ids(bob)))
	sent(robot, toPeople(ids(ann, bob)))
}

// A deactivated account receives no more messages, and its real address stays hidden if it was.
func TestSendToDeactivatedAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.set(`{"email_address_visibility": 3}`)
	ann, bob, gone := w.Person("Ann", actor.Member), w.Person("Bob", actor.Member), w.Person("Gone", actor.Member)
	address := "user" + gone.ID.String() + "@" + servicetest.Host
	sent(ann, toPeople(ids(gone)))
	sent(ann, toPeople(address))
	send(ann, toPeople(gone.RealEmail)).Fails(400, "BAD_REQUEST", "Invalid email 'gone@chat.example'")
	w.db.Exec("update users set active = false where user_id = $1", gone.ID)
	for _, to := range [][]int64{ids(gone), ids(ann, gone), ids(bob, gone)} {
		w.unchanged(t, func() {
			send(ann, toPeople(to)).Fails(400, "BAD_REQUEST", "'"+address+"' is no longer using this server.")
		})
	}
}
