package papertrail

import (
	"cmp"

	"chatserver.dev/services/webhook/hook"
)

const (
	// maxEvents is the maximum number of log lines that are shown.
	maxEvents = 4
	// maxText is the maximum length of a name, in characters.
	maxText = 200
	// maxLog is the maximum length of a log line, in characters.
	maxLog = 1000
)

// report returns the message; none: the payload has neither events nor counts.
func report(p hook.Document) []hook.Message {
	events, counts, search := p.List("events"), p.List("counts"), p.At("saved_search")
	if !p.Has("events") && !p.Has("counts") && !p.Has("saved_search") {
		return nil
	}
	number, parts := int64(len(events)), []hook.Markdown(nil)
	if len(events) == 0 {
		lines := []hook.Markdown(nil)
		for _, c := range counts {
			found := total(c)
			number += found
			lines = append(lines, hook.Format("%s: %d", cmp.Or(c.Line(maxText, "source_name"), "(unknown)"), found))
		}
		parts = append(parts, hook.List(lines...))
	}
	for _, e := range events[:min(len(events), maxEvents)] {
		parts = append(parts, line(e, search))
	}
	if len(events) > maxEvents {
		parts = append(parts, hook.Link("See more", search.Text("html_search_url")))
	}
	name := hook.Link("Search for \""+cmp.Or(search.Line(maxText, "name"), "(unknown)")+"\"", search.Or("html_search_url", "html_edit_url"))
	matches := "matches"
	if number == 1 {
		matches = "match"
	}
	return hook.One("logs", hook.Join("\n", hook.Format("%s found **%d** %s:", name, number, matches), hook.Join("\n", parts...)))
}

// total returns the number of matches of a system.
func total(c hook.Document) int64 {
	series, sum := c.At("timeseries"), int64(0)
	for _, at := range c.Names("timeseries") {
		sum += series.Number(at)
	}
	return sum
}

// line returns a log line that was found.
func line(e, search hook.Document) hook.Markdown {
	head := hook.Join(" - ", hook.Text(e.Line(maxText, "display_received_at", "received_at")), hook.Text(e.Line(maxText, "source_name", "hostname")), hook.Text(search.Line(maxText, "query")))
	if head.Empty() {
		head = hook.Format("(unknown)")
	}
	return hook.Join("\n", hook.Format("%s:", head), hook.Quote(hook.Text(hook.Cut(e.Text("message"), maxLog)).String()))
}
