package subscription_test

import (
	"strings"
	"sync"
	"testing"

	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/stream"
	"chatserver.dev/pkg/subscription"
)

func TestSettingsOfNewStreams(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	days := int32(30)
	for _, test := range []struct {
		name          string
		settings      stream.Settings
		historyPublic bool
	}{
		{"plain", stream.Settings{PostPolicy: permit.PostAnyone}, true},
		{"private", stream.Settings{PostPolicy: permit.PostAdmins, InviteOnly: true, RetentionDays: &days}, false},
		{"open history", stream.Settings{PostPolicy: permit.PostNewMembers, InviteOnly: true, HistoryPublic: true}, true},
	} {
		r := wanted(test.name)
		r.Streams[0].Description = "*big*\r\npumps\nhere"
		r.New = test.settings
		w.subscribe(t, "owner", r)
		row := w.row(t, test.name)
		got := []any{row.Description, row.RenderedDescription, row.InviteOnly, row.HistoryPublic, row.PostPolicy, row.RetentionDays, row.Version}
		same(t, test.name, []any{
			"*big* pumps here", "<p><em>big</em> pumps here</p>", test.settings.InviteOnly, test.historyPublic,
			int16(test.settings.PostPolicy), test.settings.RetentionDays, int64(1),
		}, got)
	}
	// The settings don't apply to an existing stream.
	again := wanted("private")
	again.Streams[0].Description = "another"
	w.subscribe(t, "owner", again)
	if row := w.row(t, "private"); row.Description != "*big* pumps here" || !row.InviteOnly || row.Version != 1 {
		t.Errorf("subscribing changed the stream to %+v", row)
	}
}

func TestColors(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	r := wanted("a", "b", "c", "d")
	r.Streams[2].Color = "#123"
	r.Streams[3].Color = "#a6c7e5"
	w.subscribe(t, "ann", r)
	w.subscribe(t, "ann", wanted("e"))
	for name, color := range map[string]string{"a": "#76ce90", "b": "#fae589", "c": "#123", "d": "#a6c7e5", "e": "#e79ab5"} {
		same(t, name, color, w.own(t, "ann", name).Color)
	}
	w.unsubscribe(t, "ann", "b")
	again := wanted("b")
	again.Streams[0].Color = "#000000"
	w.subscribe(t, "ann", again)
	same(t, "color after coming back", "#fae589", w.own(t, "ann", "b").Color)

	many := wanted()
	for i := range 30 {
		many.Streams = append(many.Streams, subscription.Wanted{Name: "many" + string(rune('A'+i))})
	}
	w.subscribe(t, "bob", many)
	same(t, "the last of the palette", "#a47462", w.own(t, "bob", "manyX").Color)
	same(t, "the palette again", "#76ce90", w.own(t, "bob", "manyY").Color)
	same(t, "and on", "#fae589", w.own(t, "bob", "manyZ").Color)
}

func TestAnnouncement(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(s *org.Settings) { s.NotificationsStreamID = 1 })
	announced := func(names ...string) subscription.Request {
		r := wanted(names...)
		r.Announce = true
		return r
	}
	w.subscribe(t, "admin", wanted("general"))
	w.notices.said = nil
	w.subscribe(t, "ann", announced("general"))
	w.subscribe(t, "ann", announced("general", "one"))
	w.subscribe(t, "ann", private(announced("two", "three")))
	same(t, "notices", []string{
		"stream 1 > new streams: @_**ANN|4** created a new stream #**one**. (read by 4)",
		"stream 2 > stream events: Stream created by @_**ANN|4**. (read by 4)",
		"stream 1 > new streams: @_**ANN|4** created the following streams: #**two**, #**three**. (read by 4)",
		"stream 3 > stream events: Stream created by @_**ANN|4**. (read by 4)",
		"stream 4 > stream events: Stream created by @_**ANN|4**. (read by 4)",
	}, w.notices.said)

	if err := w.streams.Deactivate(t.Context(), w.actor("admin"), 1); err != nil {
		t.Fatal(err)
	}
	w.notices.said = nil
	w.subscribe(t, "ann", announced("four"))
	same(t, "notices without a stream for them", []string{"stream 5 > stream events: Stream created by @_**ANN|4**. (read by 4)"}, w.notices.said)
}

// TestCreateAtOnce makes several people create the same stream at the same time. One call creates it, and the others
// find it.
func TestCreateAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	group := sync.WaitGroup{}
	for _, name := range []string{"owner", "admin", "ann", "bob"} {
		service := subscription.New(w.db, w.orgs, plain{}, &notices{}, w.clock.Now)
		group.Go(func() {
			if _, err := service.Subscribe(t.Context(), w.actor(name), wanted("beta")); err != nil {
				t.Errorf("%s subscribes: %v", name, err)
			}
		})
	}
	group.Wait()
	created, added := 0, 0
	for _, line := range w.events(t) {
		if strings.HasPrefix(line, "stream/create") {
			created++
		}
		if strings.HasPrefix(line, "subscription/add") {
			added++
		}
	}
	if created != 1 || added != 4 {
		t.Errorf("%d streams were made and %d people subscribed, want 1 and 4", created, added)
	}
}
