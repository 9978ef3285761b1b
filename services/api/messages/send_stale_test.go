package messages_test

import (
	"net/http"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/stream"
	"chatserver.dev/services/servicetest"
)

// deactivate deactivates a stream.
func (w *world) deactivate(number int64) {
	w.T.Helper()
	err := w.DB.Write(w.T.Context(), w.Org.ID, func(tx *store.Tx) error {
		if err := tx.LockSubscriptions(w.T.Context(), id.Stream(number)); err != nil {
			return err
		}
		found, err := tx.StreamByID(w.T.Context(), 0, id.Stream(number))
		if err != nil {
			return err
		}
		_, err = stream.End(w.T.Context(), tx, found.Stream)
		return err
	})
	if err != nil {
		w.T.Fatal(err)
	}
}

// Cached data of a stream must not be used after they have changed: each case sends, changes something, and sends
// again at once.
func TestSendNoticesChanges(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, ann := w.Person("Ada", actor.Administrator), w.Person("Ann", actor.Member)
	bot := w.Bot("Robot", actor.GenericBot, ann)
	leave := func(a servicetest.Account, name string) {
		a.Do(http.MethodDelete, "/users/me/subscriptions", params{"subscriptions": []string{name}}).OK()
	}
	const change = "update streams set version = version + 1, "
	for _, test := range []struct {
		name    string
		private bool
		who     servicetest.Account
		change  func(name string, number int64)
		msg     string
		code    string
	}{
		{
			"left private", true, ann, func(name string, _ int64) { leave(ann, name) },
			"Not authorized to send to stream 'left private'", "BAD_REQUEST",
		},
		{
			"owner left private", true, bot, func(name string, _ int64) { leave(ann, name) },
			"Not authorized to send to stream 'owner left private'", "BAD_REQUEST",
		},
		{
			"only admins", false, ann, func(_ string, number int64) { w.db.Exec(change+"post_policy = 2 where stream_id = $1", number) },
			"Only organization administrators can send to this stream.", "BAD_REQUEST",
		},
		{"became private", false, bot, func(name string, number int64) {
			leave(ann, name)
			w.db.Exec(change+"invite_only = true where stream_id = $1", number)
		}, "Not authorized to send to stream 'became private'", "BAD_REQUEST"},
		{
			"renamed", false, ann, func(_ string, number int64) { w.db.Exec(change+"name = 'new name' where stream_id = $1", number) },
			"Stream 'renamed' does not exist", "STREAM_DOES_NOT_EXIST",
		},
		{
			"deactivated", false, ann, func(_ string, number int64) { w.deactivate(number) },
			"Stream 'deactivated' does not exist", "STREAM_DOES_NOT_EXIST",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			number := w.stream(ada, test.name, params{"principals": ids(ada, ann), "invite_only": test.private})
			sent(test.who, toStream(test.name))
			sent(test.who, toStream(test.name))
			test.change(test.name, number)
			before := w.number("select count(*) from messages where stream_id = $1", number)
			send(test.who, toStream(test.name)).Fails(400, test.code, test.msg)
			if after := w.number("select count(*) from messages where stream_id = $1", number); after != before {
				t.Error("the message was stored")
			}
		})
	}
	t.Run("name taken over", func(t *testing.T) {
		first := w.stream(ann, "floor", nil)
		servicetest.Same(t, "the stream", &first, w.stored(sent(ann, toStream("floor"))).Stream)
		w.db.Exec(change+"name = 'ceiling' where stream_id = $1", first)
		second := w.stream(ann, "floor", nil)
		servicetest.Same(t, "the stream", &second, w.stored(sent(ann, toStream("floor"))).Stream)
		q := messagesOf(ann, nil)
		sent(ann, toStream(first))
		servicetest.Same(t, "the name in the event", any("ceiling"), q.Poll()[0].Message["display_recipient"])
	})
	t.Run("allowed again", func(t *testing.T) {
		w.stream(ada, "lodge", params{"invite_only": true, "principals": ids(ada)})
		send(ann, toStream("lodge")).Fails(400, "BAD_REQUEST", "Not authorized to send to stream 'lodge'")
		ada.Do(http.MethodPost, "/users/me/subscriptions", params{
			"subscriptions": []map[string]string{{"name": "lodge"}}, "principals": ids(ann),
		}).OK()
		sent(ann, toStream("lodge"))
		send(ann, toStream("shed")).Fails(400, "STREAM_DOES_NOT_EXIST", "Stream 'shed' does not exist")
		w.stream(ada, "shed", nil)
		sent(ann, toStream("shed"))
	})
	t.Run("right from elsewhere", func(t *testing.T) {
		// The bot isn't subscribed anymore, but its owner's subscription still grants the permission.
		w.stream(ada, "cellar", params{"invite_only": true, "principals": ids(ann, bot, ada)})
		sent(bot, toStream("cellar"))
		ada.Do(http.MethodDelete, "/users/me/subscriptions", params{
			"subscriptions": []string{"cellar"}, "principals": ids(bot),
		}).OK()
		sent(bot, toStream("cellar"))
	})
}
