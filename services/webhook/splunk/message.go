package splunk

import (
	"cmp"

	"chatserver.dev/services/webhook/hook"
)

const (
	// maxValue is the maximum length of a value, in characters.
	maxValue = 300
	// maxRaw is the maximum length of an event as it was logged, in characters.
	maxRaw = 2000
)

// report returns the message; none: the payload isn't an object with what Splunk sends.
func report(p hook.Document) []hook.Message {
	if !p.Has("search_name") && !p.Has("results_link") && !p.Has("result") {
		return nil
	}
	search := cmp.Or(p.Line(maxValue, "search_name"), "Missing search_name")
	link := hook.Link(search, p.Text("results_link"))
	if p.Text("results_link") == "" {
		link = hook.Format("%s (Missing results_link)", search)
	}
	result := func(name string, limit int) string {
		return cmp.Or(hook.Line(hook.Cut(p.At("result").Member(name), limit)), "Missing "+name)
	}
	return hook.One(search, hook.Format("Splunk alert from saved search:\n%s", hook.List(
		hook.Format("**Search**: %s", link),
		hook.Format("**Host**: %s", result("host", maxValue)),
		hook.Format("**Source**: %s", hook.Code(result("source", maxValue))),
		hook.Format("**Raw**: %s", hook.Code(result("_raw", maxRaw))),
	)))
}
