package opsgenie

import (
	"cmp"
	"net/url"

	"chatserver.dev/services/webhook/hook"
)

const (
	// maxValue is the maximum length of a value, in characters.
	maxValue = 500
	// maxTags is the maximum number of tags that are shown.
	maxTags = 20
)

// report returns the message; none: the payload has no alert. host has the pages of alerts.
func report(p hook.Document, host string) []hook.Message {
	alert := p.At("alert")
	if p.Text("action") == "" && !alert.Has("alertId") && !alert.Has("message") {
		return nil
	}
	topic := cmp.Or(hook.Line(p.Text("integrationName")), "Opsgenie")
	address := ""
	if id := alert.Text("alertId"); id != "" {
		address = "https://" + host + "/alert/V2#/show/" + url.PathEscape(id)
	}
	text := func(paths ...string) hook.Markdown { return hook.Text(hook.Cut(alert.Or(paths...), maxValue)) }
	items := hook.List(
		hook.Item("Type", hook.Text(hook.Cut(p.Text("action"), maxValue))),
		hook.Item("Note", text("note")),
		hook.Item("Recipient", text("recipient")),
		hook.Item("Tags added", text("addedTags")),
		hook.Item("Team added", text("team")),
		hook.Item("Assigned owner", text("owner")),
		hook.Item("Escalation", text("escalationName")),
		hook.Item("Tags removed", text("removedTags")),
		hook.Item("Message", text("message")),
		hook.Item("Tags", tags(alert.List("tags"))),
		hook.Item("Priority", text("priority")),
	)
	head := hook.Link("OpsGenie alert for "+hook.Cut(topic, maxValue), address)
	return hook.One(topic, hook.Format("%s:\n%s", head, items))
}

// tags returns the tags of an alert.
func tags(all []hook.Document) hook.Markdown {
	shown := []hook.Markdown(nil)
	for _, tag := range all[:min(len(all), maxTags)] {
		shown = append(shown, hook.Code(hook.Cut(tag.Text(""), maxValue)))
	}
	if more := len(all) - maxTags; more > 0 {
		shown = append(shown, hook.Format("and %d more", more))
	}
	return hook.Join(", ", shown...)
}
