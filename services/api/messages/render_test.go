package messages_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/services/servicetest"
)

func TestRender(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, guest := w.Person("Ann", actor.Member), w.Person("Guest", actor.Guest)
	hall := w.stream(ann, "hall", nil)
	w.unchanged(t, func() {
		for _, test := range []struct{ content, want string }{
			{"**hello**", "<p><strong>hello</strong></p>"},
			{"", ""},
			{"@**Ann**", fmt.Sprintf(`<p><span class="user-mention" data-user-id="%d">@Ann</span></p>`, ann.ID)},
			{"#**hall**", fmt.Sprintf(`<p><a class="stream" data-stream-id="%d" href="/#narrow/stream/%d-hall">#hall</a></p>`, hall, hall)},
			{strings.Repeat("x", 20_000), "<p>" + strings.Repeat("x", 20_000) + "</p>"},
		} {
			got := struct{ Rendered string }{}
			guest.Do(http.MethodPost, "/messages/render", params{"content": test.content}).OK().Decode(&got)
			servicetest.Same(t, "HTML", test.want, got.Rendered)
		}
		guest.Do(http.MethodPost, "/messages/render", params{"content": strings.Repeat("$$<<<$$ ", 1200)}).Fails(400, "BAD_REQUEST", "Unable to render message")
		guest.Do(http.MethodPost, "/messages/render", nil).Fails(400, "REQUEST_VARIABLE_MISSING", "Missing 'content' argument")
	})
}

// Hostile texts are rendered like any other. A text that is too long for a message is refused without reading it.
func TestRenderIsBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.Person("Ann", actor.Member)
	got := struct{ Rendered string }{}
	ann.Do(http.MethodPost, "/messages/render", params{"content": strings.Repeat(">\n", 10_000)}).OK().Decode(&got)
	if lines := strings.Count(got.Rendered, "&gt;"); lines != 10_000 {
		t.Errorf("%d lines of 10,000 are left", lines)
	}
	ann.Do(http.MethodPost, "/messages/render", params{"content": strings.Repeat("x", 65_000)}).OK()
	ann.Do(http.MethodPost, "/messages/render", params{"content": strings.Repeat("x", 65_536)}).Fails(413, "REQUEST_TOO_LARGE", "The request's body is too large")
}
