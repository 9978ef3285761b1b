package messages_test

import (
	"fmt"
	"net/http"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/servicetest"
)

// notices returns the private messages from the notification bot, oldest first.
func (w *world) notices() []string {
	w.T.Helper()
	return storetest.Values[string](w.db, `select content from messages join users on user_id = sender_id
		where system and conversation_id is not null order by message_id`)
}

// The notifications of rest-api.md, section 2.2.4.
func TestSendNotifiesBotOwner(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, ada := w.Person("Ann", actor.Member), w.Person("Ada", actor.Administrator)
	bots := 0
	bot := func(kind actor.BotType) (address string, post func(to any)) {
		bots++
		made := w.Bot(fmt.Sprintf("Robot %d", bots), kind, ann)
		return made.RealEmail, func(to any) { send(made, toStream(to)) }
	}
	empty := w.stream(ada, "empty", nil)
	w.db.Exec("update subscriptions set active = false where stream_id = $1", empty)
	gone := w.Person("Gone", actor.Member)
	w.stream(gone, "ghosts", nil)
	w.db.Exec("update users set active = false where user_id = $1", gone.ID)

	const missing = "it does not exist ([create a stream](#streams/new))."
	for _, test := range []struct {
		name string
		kind actor.BotType
		to   any
		want string // after the bot's address
	}{
		{"missing", actor.GenericBot, "attic", "#**attic**, but " + missing},
		{"missing id", actor.IncomingWebhook, 4711, "the stream with the ID 4711, but " + missing},
		{"empty", actor.GenericBot, "empty", "#**empty**, but nobody is subscribed to it."},
		{"empty but for the deactivated", actor.OutgoingWebhook, "ghosts", "#**ghosts**, but nobody is subscribed to it."},
	} {
		t.Run(test.name, func(t *testing.T) {
			before := len(w.notices())
			address, post := bot(test.kind)
			post(test.to)
			want := "Your bot `" + address + "` tried to send a message to " + test.want
			servicetest.Same(t, "notices", []string{want}, w.notices()[before:])
			post(test.to) // within a minute
			post("nowhere either")
			servicetest.Same(t, "more notices", 1, len(w.notices())-before)
		})
	}
	t.Run("delivered", func(t *testing.T) {
		queue := messagesOf(ann, params{"apply_markdown": true})
		made := w.Bot("Talker", actor.GenericBot, ann)
		send(made, toStream("attic")).Fails(400, "STREAM_DOES_NOT_EXIST", "Stream 'attic' does not exist")
		e := queue.Poll()[0]
		servicetest.Same(t, "content", any("<p>Your bot <code>"+made.RealEmail+`</code> tried to send a message to #<strong>attic</strong>, `+
			`but it does not exist (<a href="#streams/new">create a stream</a>).</p>`), e.Message["content"])
		servicetest.Same(t, "client", any("Internal"), e.Message["client"])
		servicetest.Same(t, "flags", []string{}, e.Flags)
	})
	t.Run("nobody to tell", func(t *testing.T) {
		before := len(w.notices())
		send(ann, toStream("attic"))
		send(ada, toStream("empty")).OK()
		lonely := w.Account(w.Org, draftOfBot("Lonely"))
		send(lonely, toStream("attic"))
		orphan := w.Bot("Orphan", actor.GenericBot, gone)
		send(orphan, toStream("attic"))
		servicetest.Same(t, "notices", before, len(w.notices()))
	})
	t.Run("refused otherwise", func(t *testing.T) {
		before := len(w.notices())
		w.stream(ada, "vault", params{"invite_only": true})
		made := w.Bot("Stranger", actor.GenericBot, ann)
		send(made, toStream("vault")).Fails(400, "BAD_REQUEST", "Not authorized to send to stream 'vault'")
		send(made, with(toStream("attic"), "content", " ")).Fails(400, "BAD_REQUEST", "Message must not be empty")
		servicetest.Same(t, "notices", before, len(w.notices()))
	})
	servicetest.Same(t, "conversations with the owner", int64(1), w.number("select count(*) from conversations"))
}

func TestSendNotifiesInTheOwnersLanguage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.Person("Ann", actor.Member)
	ann.Do(http.MethodPatch, "/settings/display", params{"default_language": "de"}).OK()
	robot := w.Bot("Robot", actor.GenericBot, ann)
	send(robot, toStream(4711))
	servicetest.Same(t, "notices", []string{"Dein Bot `" + robot.RealEmail + "` wollte eine Nachricht an den Stream mit der ID 4711 senden, " +
		"aber diesen Stream gibt es nicht ([Stream anlegen](#streams/new))."}, w.notices())
}
