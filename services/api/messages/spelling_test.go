package messages_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/services/servicetest"
)

// Names with letters and accents apart, as file names of some systems have them, are those with composed letters.
func TestSpelling(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	apart := strings.NewReplacer("é", "e\u0301", "É", "E\u0301", "è", "e\u0300", "ü", "u\u0308", "Ü", "U\u0308", "ö", "o\u0308", "Ö", "O\u0308").Replace
	ann, zoe := w.Person("Ann", actor.Administrator), w.Person(apart("Zoé"), actor.Member)
	stream := w.stream(ann, "Café", params{"principals": ids(ann, zoe)})
	w.bare(stream)
	ann.Do(http.MethodPost, "/user_groups/create", params{"name": apart(" Crème "), "description": "", "members": ids(zoe)}).OK()
	ann.Do(http.MethodPost, "/user_groups/create", params{"name": "Crème", "description": ""}).
		Fails(http.StatusBadRequest, "BAD_REQUEST", "User group 'Crème' already exists.")
	subscribed := zoe.Do(http.MethodPost, "/users/me/subscriptions", params{"subscriptions": []map[string]string{{"name": apart("CAFÉ")}}}).OK().Body
	if !strings.Contains(subscribed, `"subscribed":{},"already_subscribed":{`) || !strings.Contains(subscribed, `:["Café"]}`) {
		t.Errorf("subscribed: %s", subscribed)
	}
	queue := zoe.Register(params{"event_types": []string{"message"}, "narrow": [][]string{{"stream", apart("café")}, {"topic", apart("Menü")}}})
	sent := ann.SendStream(apart("Café"), apart("Menü"), apart("@**Zoé** @*Crème* #**Café>Menü**"))
	servicetest.Same(t, "topic", "Menü", w.stored(sent).Topic)
	servicetest.Same(t, "events", sent, int64(queue.Poll()[0].Message["id"].(float64)))
	found := fetch(zoe, with(around("newest", 9, 0), "narrow", apart(`[["stream","café"],["topic","menü"]]`))).Messages
	if len(found) != 1 {
		t.Fatalf("found: %v", found)
	}
	for _, want := range []string{">@Zoé</span>", ">@Crème</span>", ">#Café &gt; Menü</a>"} {
		if content := found[0]["content"].(string); !strings.Contains(content, want) {
			t.Errorf("%s isn't in %s", want, content)
		}
	}
	zoe.Do(http.MethodPost, "/mark_topic_as_read", params{"stream_id": stream, "topic_name": apart("MENÜ")}).OK()
	servicetest.Same(t, "unread", []int64{}, unread(zoe))
	mute := params{"stream": apart("café"), "topic": apart("menü"), "op": "add"}
	zoe.Do(http.MethodPatch, "/users/me/subscriptions/muted_topics", mute).OK()
	zoe.Do(http.MethodPatch, "/users/me/subscriptions/muted_topics", with(mute, "topic", "Menü")).Fails(http.StatusBadRequest, "", "Topic already muted")
	edit(zoe, sent, params{"topic": apart("Öl")}).OK()
	ann.Do(http.MethodPost, fmt.Sprintf("/streams/%d/delete_topic", stream), params{"topic_name": apart("öl")}).OK()
	servicetest.Same(t, "left", []int64{}, w.topic(stream, "Öl"))
}

// Topics and names of streams are one line: a line break or a tab is a blank, in what is sent as in what is looked for.
func TestOneLine(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.Person("Ann", actor.Administrator)
	stream := w.stream(ann, "low tide", params{})
	w.bare(stream)
	for _, topic := range []string{"high water", "high\nwater", " high\r\nwater\n", "high\twater", "high\u2028water", "high\rwater", "high\u0085water"} {
		sent := ann.SendStream("low\ttide", topic, "at noon")
		servicetest.Same(t, "topic", "high water", w.stored(sent).Topic)
	}
	found := fetch(ann, with(around("newest", 9, 0), "narrow", `[["stream","low\ntide"],["topic","HIGH\nwater"]]`)).Messages
	servicetest.Same(t, "found", 7, len(found))
	servicetest.Same(t, "name", "low tide", found[0]["display_recipient"].(string))
	edit(ann, int64(found[0]["id"].(float64)), params{"topic": "ebb\nand\nflood", "propagate_mode": "change_all"}).OK()
	servicetest.Same(t, "moved", 7, len(w.topic(stream, "ebb and flood")))
	ann.Do(http.MethodPatch, "/users/me/subscriptions/muted_topics", params{"stream_id": stream, "topic": "ebb\nand flood", "op": "add"}).OK()
	ann.Do(http.MethodPatch, "/users/me/subscriptions/muted_topics", params{"stream_id": stream, "topic": "ebb and flood", "op": "add"}).
		Fails(http.StatusBadRequest, "", "Topic already muted")
}
