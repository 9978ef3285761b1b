package pagerduty

import (
	"strings"

	"chatserver.dev/services/webhook/hook"
)

// incident is what happened to an incident.
type incident struct {
	kind        string // such as incident.trigger
	number, url string
	title       string
	service, by hook.Markdown // a link each; empty: unknown
	assignees   []hook.Markdown
	detail      hook.Markdown // what it was changed to
	quote       string        // its title, or a note about it
}

// incidents returns what happened by a payload of any version.
func incidents(p hook.Document) []incident {
	if p.Has("event") {
		return []incident{version3(p.At("event"))}
	}
	all := []incident(nil)
	for _, m := range p.List("messages") {
		if m.Has("event") {
			all = append(all, version2(m))
		} else {
			all = append(all, version1(m))
		}
	}
	return all
}

// link returns a link to what a payload refers to.
func link(of hook.Document) hook.Markdown {
	return hook.Link(hook.Cut(of.Or("summary", "name", "email"), maxName), of.Text("html_url"))
}

// person returns a link to somebody by the beginning of their address, as version 1 has it.
func person(of hook.Document) hook.Markdown {
	name, _, _ := strings.Cut(of.Text("email"), "@")
	if name == "" {
		name = of.Text("name")
	}
	return hook.Link(hook.Cut(name, maxName), of.Text("html_url"))
}

func version1(m hook.Document) incident {
	of := m.At("data.incident")
	i := incident{
		kind: m.Text("type"), number: of.Text("incident_number"), url: of.Text("html_url"), service: link(of.At("service")),
		by: person(of.At("last_status_change_by")), quote: of.Or("trigger_summary_data.subject", "trigger_summary_data.description"),
	}
	if i.kind == "incident.resolve" {
		i.by = person(of.At("resolved_by_user"))
	}
	if who := person(of.At("assigned_to_user")); !who.Empty() {
		i.assignees = append(i.assignees, who)
		if i.by.Empty() && i.kind != "incident.resolve" {
			i.by = who
		}
	}
	return i
}

func version2(m hook.Document) incident {
	of := m.At("incident")
	i := incident{
		kind: m.Text("event"), number: of.Text("incident_number"), url: of.Text("html_url"), service: link(of.At("service")),
		by: link(of.At("last_status_change_by")), quote: of.Or("title", "description", "summary"),
	}
	for _, a := range of.List("assignments") {
		if who := link(a.At("assignee")); !who.Empty() {
			i.assignees = append(i.assignees, who)
		}
	}
	if i.kind == "incident.acknowledge" {
		for _, a := range of.List("acknowledgements") {
			i.by = link(a.At("acknowledger"))
		}
	}
	if i.kind == "incident.annotate" {
		i.kind = "incident.annotated"
		if entries := m.List("log_entries"); len(entries) > 0 {
			i.by, i.quote = link(entries[0].At("agent")), entries[0].Text("channel.summary")
		}
	}
	return i
}

func version3(e hook.Document) incident {
	data := e.At("data")
	of := data
	if data.Has("incident") { // it is about a part of the incident, such as a note
		of = data.At("incident")
	}
	i := incident{
		kind: e.Text("event_type"), number: of.Text("number"), title: of.Or("title", "summary"), url: of.Text("html_url"), service: link(of.At("service")),
		by: link(e.At("agent")), quote: of.Or("title", "summary"),
	}
	for _, who := range of.List("assignees") {
		if who := link(who); !who.Empty() {
			i.assignees = append(i.assignees, who)
		}
	}
	switch i.kind {
	case "incident.annotated":
		i.quote = data.Or("content", "title")
	case "incident.status_update_published":
		i.quote = data.Text("message")
	case "incident.priority_updated":
		if priority := data.Text("priority.summary"); priority != "" {
			i.detail = hook.Format(" to **%s**", hook.Cut(priority, maxName))
		}
	case "incident.responder.added", "incident.responder.replied":
		i.by = link(data.At("user"))
		if i.by.Empty() {
			i.by = link(e.At("agent"))
		}
		i.quote = data.Text("message")
	}
	return i
}
