package statuspage

import (
	"cmp"

	"chatserver.dev/services/webhook/hook"
)

const (
	// maxText is the maximum length of a name, in characters.
	maxText = 200
	// maxBody is the maximum length of an update's text, in characters.
	maxBody = 2000
)

// report returns the message; none: the payload has neither an incident nor a component.
func report(p hook.Document) []hook.Message {
	switch {
	case p.Has("incident"):
		return incident(p, p.At("incident"))
	case p.Has("component") || p.Has("component_update"):
		return component(p)
	default:
		return nil
	}
}

// topic returns the topic for something with a name: it says how the whole page is.
func topic(p hook.Document, name string) string {
	if status := p.Line(maxText, "page.status_description"); status != "" {
		return name + ": " + status
	}
	return name
}

func incident(p, i hook.Document) []hook.Message {
	name := cmp.Or(i.Line(maxText, "name"), "Incident")
	items := []hook.Markdown{hook.Format("State: **%s**", cmp.Or(i.Line(maxText, "status"), "unknown"))}
	body := i.Text("body")
	if updates := i.List("incident_updates"); len(updates) > 0 { // the newest is the first
		body = updates[0].Text("body")
	}
	if said := hook.Text(hook.Cut(body, maxBody)); !said.Empty() {
		items = append(items, hook.Format("Description: %s", said))
	}
	return hook.One(topic(p, name), hook.Format("%s:\n%s", hook.Format("**%s**", hook.Link(name, i.Text("shortlink"))), hook.List(items...)))
}

func component(p hook.Document) []hook.Message {
	name, status := cmp.Or(p.Line(maxText, "component.name"), "Component"), cmp.Or(p.Line(maxText, "component_update.new_status", "component.status"), "unknown")
	before := p.Line(maxText, "component_update.old_status")
	if before == "" {
		return hook.One(topic(p, name), hook.Format("**%s** has changed status to **%s**.", name, status))
	}
	return hook.One(topic(p, name), hook.Format("**%s** has changed status from **%s** to **%s**.", name, before, status))
}
