package linkifiers_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"chatserver.dev/pkg/markdown"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/services/servicetest"
)

// Matches become links in messages, topics and the organization's description.
func TestAdd(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := newWorld(t)
	w.mia.Subscribe("hall")
	watch := w.gus.Watch("realm_filters")
	const link = `<a href="https://tickets.example/7">#7</a>`
	renders(t, w.mia, "see #7", link, false)
	number := w.add(" "+ticket+" ", " "+address+" ")
	servicetest.Same(t, "event", []string{fmt.Sprintf(`{"type":"realm_filters","realm_filters":[["%s","%s",%d]]}`, ticket, address, number)}, watch.Events())
	renders(t, w.mia, "see #7", link, true)
	renders(t, w.stranger, "see #7", link, false)

	messages := w.mia.Watch("message")
	sent := w.mia.SendStream("hall", "about #7", "and #8")
	events := messages.Events()
	if len(events) != 1 || !strings.Contains(events[0], `"topic_links":["https://tickets.example/7"]`) || !strings.Contains(events[0], "and #8") {
		t.Errorf("event %v", events)
	}
	fetched := func() string {
		return w.mia.Do(http.MethodGet, "/messages", params{"anchor": sent, "num_before": 0, "num_after": 0}).OK().Body
	}
	if got := fetched(); !strings.Contains(got, `"topic_links":["https://tickets.example/7"]`) || !strings.Contains(got, `https://tickets.example/8`) {
		t.Error(got)
	}
	moves := w.mia.Watch("update_message")
	w.mia.Do(http.MethodPatch, fmt.Sprintf("/messages/%d", sent), params{"topic": "now #9"}).OK()
	if events = moves.Events(); len(events) != 1 || !strings.Contains(events[0], `"topic_links":["https://tickets.example/9"]`) {
		t.Errorf("event %v", events)
	}
	w.ada.Do(http.MethodPatch, "/realm", params{"description": "All about #7"}).OK()
	settings := struct {
		Description string `json:"realm_description"`
	}{}
	w.mia.Do(http.MethodGet, "/server_settings", nil).OK().Decode(&settings)
	servicetest.Same(t, "description", "<p>All about "+link+"</p>", settings.Description)
}

func TestAddRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	watch := w.mia.Watch("realm_filters")
	add := func(by servicetest.Account, pattern, format string) servicetest.Answer {
		return by.Do(http.MethodPost, "/realm/filters", params{"pattern": pattern, "url_format_string": format})
	}
	w.refused(func(by servicetest.Account) servicetest.Answer { return add(by, ticket, address) })
	const (
		characters  = "Invalid filter pattern.  Valid characters are [ a-zA-Z_#=/:+!-]."
		format      = "Invalid URL format string."
		notURL      = "Enter a valid URL."
		complicated = "The pattern is too complex."
	)
	for _, test := range []struct {
		pattern, format string
		errors          map[string][]string
		first           string
	}{
		{"", address, map[string][]string{"pattern": {"This field cannot be blank."}}, "This field cannot be blank."},
		{ticket, " ", map[string][]string{"url_format_string": {"This field cannot be blank."}}, "This field cannot be blank."},
		{`#[0-9]+`, address, map[string][]string{"pattern": {characters}}, characters},
		{ticket + "x", address, map[string][]string{"pattern": {characters}}, characters},
		{`$(?P<id>.)`, address, map[string][]string{"pattern": {characters}}, characters},
		{`#(?P<id>[0-9)`, address, map[string][]string{"pattern": {characters}}, characters},
		{`#(?P<id>a(?!b))`, address, map[string][]string{"pattern": {"Invalid filter pattern: (?! is not supported."}}, "Invalid filter pattern: (?! is not supported."},
		{`#(?P<id>(a)\1)`, address, map[string][]string{"pattern": {`Invalid filter pattern: \1 is not supported.`}}, `Invalid filter pattern: \1 is not supported.`},
		{`#(?P<id>a{1001})`, address, map[string][]string{"pattern": {complicated}}, complicated},
		{`#(?P<id>(a{30}){30})`, address, map[string][]string{"pattern": {complicated}}, complicated},
		{`#(?P<id>` + strings.Repeat("a", 500) + `)`, address, map[string][]string{"pattern": {"Ensure this value has at most 500 characters."}}, "Ensure this value has at most 500 characters."},
		{ticket, "tickets/%(id)s", map[string][]string{"url_format_string": {notURL}}, notURL},
		{ticket, "javascript:%(id)s", map[string][]string{"url_format_string": {notURL}}, notURL},
		{ticket, "https://%(id)s", map[string][]string{"url_format_string": {notURL}}, notURL},
		{ticket, "https://%(id)s.example/", map[string][]string{"url_format_string": {format}}, format},
		{ticket, "https://tickets.example/", map[string][]string{"url_format_string": {format}}, format},
		{ticket, "x %(id)s", map[string][]string{"url_format_string": {notURL, format}}, notURL},
		{ticket, "https://tickets.example/%(no)s", map[string][]string{"url_format_string": {"Group 'no' in URL format string is not present in the pattern."}}, "Group 'no' in URL format string is not present in the pattern."},
		{"x", "y", map[string][]string{"pattern": {characters}, "url_format_string": {notURL, format}}, characters},
	} {
		answer := add(w.ada, test.pattern, test.format).Fails(400, "", test.first)
		got := struct{ Errors map[string][]string }{}
		answer.Decode(&got)
		servicetest.Same(t, test.pattern+" "+test.format, test.errors, got.Errors)
	}
	w.ada.Do(http.MethodPost, "/realm/filters", params{"pattern": ticket}).Fails(400, "REQUEST_VARIABLE_MISSING", "Missing 'url_format_string' argument")
	servicetest.Same(t, "events of what was refused", []string{}, watch.Events())

	w.add(ticket, address)
	const there = "Realm filter with this Realm and Pattern already exists."
	got := struct{ Errors map[string][]string }{}
	add(w.ada, ticket, "https://other.example/%(id)s").Fails(400, "", there).Decode(&got)
	servicetest.Same(t, "a second one", map[string][]string{"__all__": {there}}, got.Errors)
	for i := range 49 {
		w.add(fmt.Sprintf("ticket-%c%c(?P<id>[0-9]+)", 'a'+i/26, 'a'+i%26), address)
	}
	add(w.ada, "one-more(?P<id>[0-9]+)", address).Fails(400, bad, "Too many linkifiers (limit: 50)")
}

// With the maximum number of the slowest patterns and the longest text, rendering still ends soon.
func TestHostilePatterns(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w, in := newWorld(t), markdown.Context{}
	for i := range 50 {
		pattern, format := fmt.Sprintf(`(?P<a%d>(?:(a|b|ab)*c?){1,%d}x)`, i, 10+i%20), fmt.Sprintf("https://x.example/%%(a%d)s", i)
		w.add(pattern, format)
		compiled, err := markdown.NewLinkifier(pattern, format)
		if err != nil {
			t.Fatal(err)
		}
		in.Linkifiers = append(in.Linkifiers, compiled)
	}
	renders(t, w.mia, "abx", "https://x.example/abx", true)
	length := 10_000 // the longest text
	if testbed.Race {
		length /= 20
	}
	text := ""
	for _, part := range []string{"ab", "ab ", "x ab"} {
		text = strings.Repeat(part, length/len(part))
		// The time until an answer would include the work of other tests.
		took := testbed.ProcessorTime(t, func() { _, _ = markdown.New(markdown.Config{}).Render(t.Context(), text, in) })
		if took > 5*time.Second {
			t.Errorf("%.10s... took %v", text, took)
		}
	}
	answer := w.mia.Do(http.MethodPost, "/messages/render", params{"content": text})
	if answer.Status != http.StatusOK { // the HTML of many links is too long
		answer.Fails(http.StatusBadRequest, bad, "Unable to render message")
	}
}
