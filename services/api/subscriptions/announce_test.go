package subscriptions_test

import (
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/servicetest"
)

// announceIn sets the stream for announcements.
func (w *world) announceIn(stream int64) {
	w.T.Helper()
	w.db.Exec("update organizations set settings = settings || jsonb_build_object('notifications_stream_id', $1::bigint) where org_id = $2", stream, w.Org.ID)
}

// said returns the announcements so far as HTML, without the part that names the streams' creator.
func (w *world) said(stream int64) []string {
	w.T.Helper()
	return storetest.Values[string](w.db, `select split_part(rendered, '</span> ', 2) from messages
		where stream_id = $1 and topic = 'new streams' order by message_id`, stream)
}

func named(names ...string) []params {
	return list(len(names), func(i int) params { return params{"name": names[i]} })
}

// Announcements show names of streams literally: no name mentions an account, becomes a link or is read as Markdown.
func TestAnnouncedNames(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.announceIn(w.hall)
	guests := w.gus.Watch("message")
	for _, test := range []struct{ name, html string }{
		{"[x](/evil) <b", `<p>|created a new stream <a class="stream" data-stream-id="ID" href="/#narrow/stream/ID-.5Bx.5D.28.2Fevil.29-.3Cb">#[x](/evil) &lt;b</a>.</p>`},
		{"x** @**all** #**y", `<p>|created a new stream <a href="/#narrow/stream/ID-x.2A.2A-.40.2A.2Aall.2A.2A-.23.2A.2Ay"><code>#x** @**all** #**y</code></a>.</p>`},
		{"`` @**Gus** `", "<p>|created a new stream <a href=\"/#narrow/stream/ID-.60.60-.40.2A.2AGus.2A.2A-.60\"><code>#'' @**Gus** '</code></a>.</p>"},
		{"a  ``` # b*", `<p>|created a new stream <a href="/#narrow/stream/ID-a--.60.60.60-.23-b.2A"><code>#a  ''' # b*</code></a>.</p>`},
		{"Hall>crane", `<p>|created a new stream <a href="/#narrow/stream/ID-Hall.3Ecrane"><code>#Hall&gt;crane</code></a>.</p>`},
		{`\|](/evil)*`, `<p>|created a new stream <a href="/#narrow/stream/ID-.5C.7C.5D.28.2Fevil.29.2A"><code>#\|](/evil)*</code></a>.</p>`},
	} {
		w.ann.Do(http.MethodPost, own, params{"subscriptions": named(test.name), "announce": true}).OK()
		id := storetest.Values[string](w.db, "select stream_id::text from streams where name = $1", test.name)[0]
		html := strings.ReplaceAll(strings.TrimPrefix(test.html, "<p>|"), "ID", id)
		got := w.said(w.hall)
		servicetest.Same(t, test.name, html, got[len(got)-1])
	}
	for content, flags := range flags(t, guests) {
		servicetest.Same(t, "flags of "+content, []string{}, flags)
	}
}

// One call makes one announcement, which is no larger than a message may be, for any number of streams with any names.
func TestAnnouncementOfMany(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.announceIn(w.hall)
	for _, letter := range []string{"a", "\U0001F300", "*"} {
		names := list(100, func(i int) string { return strings.Repeat(letter, 57) + at("%03d", i) })
		before := len(w.said(w.hall))
		w.ann.Do(http.MethodPost, own, params{"subscriptions": named(names...), "announce": true, "principals": servicetest.IDs(w.bob)}).OK()
		said := w.said(w.hall)
		servicetest.Same(t, "announcements", before+1, len(said))
		last := said[len(said)-1]
		shown := strings.Count(last, "<a ")
		if letter == "a" && shown != 100 || letter != "a" && (shown < 30 || !strings.HasSuffix(last, at(" and %d more.</p>", 100-shown))) {
			t.Errorf("%d streams are shown of %q: %s", shown, letter, last)
		}
	}
	// The notification of an account that is subscribed to existing streams isn't larger either.
	names := list(100, func(i int) string { return strings.Repeat("*", 57) + at("%03d", i) })
	w.ann.Do(http.MethodPost, own, params{"subscriptions": named(names...), "principals": servicetest.IDs(w.owner)}).OK()
	for _, content := range storetest.Values[string](w.db, "select content from messages where org_id = $1", w.Org.ID) {
		if len(content) > message.MaxContent || !utf8.ValidString(content) {
			t.Errorf("a notice has %d bytes: %s", len(content), content)
		}
	}
}

// New streams aren't announced if the call doesn't ask for it, or if the setting names a deleted stream or another
// organization's.
func TestNoAnnouncement(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	foreign := w.stranger.NewStream("elsewhere", nil)
	count := func() int {
		return len(storetest.Values[int64](w.db, "select message_id from messages where topic = 'new streams'"))
	}
	for i, stream := range []int64{-1, 0, 987654321, foreign} {
		w.announceIn(stream)
		w.ann.NewStream(at("quiet %d", i), params{"announce": true})
	}
	w.announceIn(w.hall)
	w.ann.NewStream("unasked", nil)
	w.ann.Do(http.MethodPost, own, params{"subscriptions": named("Hall"), "announce": true}).OK() // it exists
	w.gus.Do(http.MethodPost, own, params{"subscriptions": named("guests"), "announce": true}).
		Fails(http.StatusBadRequest, "BAD_REQUEST", "Not allowed for guest users")
	servicetest.Same(t, "announcements", 0, count())
	w.robot.Do(http.MethodPatch, own, params{"add": named("by a robot"), "announce": true}).OK()
	servicetest.Same(t, "announcements", 1, count())
}

// A stream for announcements that becomes private is still used for them. When it is deactivated, the setting is removed.
func TestStreamForAnnouncements(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.announceIn(w.hall)
	w.admin.Do(http.MethodPost, own, params{"subscriptions": named("Hall")}).OK()
	w.admin.Do(http.MethodPatch, at("/streams/%d", w.hall), params{"is_private": true}).OK()
	bobs, guests := w.bob.Watch("message", "realm"), w.gus.Watch("message")
	w.bob.NewStream("shed", params{"announce": true})
	servicetest.Same(t, "events of the guest, who is in it", 1, len(guests.Events()))
	setting := func() any {
		reply := params{}
		w.owner.Do(http.MethodPost, "/register", params{"fetch_event_types": []string{"realm"}, "event_types": []string{"realm"}}).OK().Decode(&reply)
		return reply["realm_notifications_stream_id"]
	}
	servicetest.Same(t, "the setting", any(float64(w.hall)), setting())
	bobs.Events()
	w.admin.Do(http.MethodDelete, at("/streams/%d", w.hall), nil).OK()
	unset := `{"type":"realm","op":"update","property":"notifications_stream_id","value":-1}`
	servicetest.Same(t, "events", []string{unset}, bobs.Events())
	servicetest.Same(t, "the setting after the end", any(-1.0), setting())
	w.bob.NewStream("attic", params{"announce": true})

	// A private stream ends when the last subscriber leaves.
	w.announceIn(w.cave)
	w.ann.Do(http.MethodDelete, own, params{"subscriptions": []string{"cave"}}).OK()
	events := bobs.Events()
	servicetest.Same(t, "the last event after the last left", unset, events[len(events)-1])
	servicetest.Same(t, "the stored setting", []bool{false}, storetest.Values[bool](w.db, "select settings ? 'notifications_stream_id' from organizations where org_id = $1", w.Org.ID))
}
