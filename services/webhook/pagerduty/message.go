package pagerduty

import (
	"cmp"

	"chatserver.dev/services/webhook/hook"
	"chatserver.dev/services/webhook/hook/git"
)

const (
	// maxName is the maximum length of the name of a person or a service, in characters.
	maxName = 100
	// maxAssignees is the maximum number of people that are named.
	maxAssignees = 10
)

// report returns the messages about what happened to incidents, and a kind that is unknown, if there is one.
func report(happened []incident) (said []hook.Message, unknown string) {
	for _, i := range happened {
		text, ignored := i.text()
		switch {
		case ignored:
		case text.Empty():
			unknown = cmp.Or(i.kind, "???")
		case i.kind == "pagey.ping":
			said = append(said, hook.Message{Topic: "PagerDuty", Content: text})
		default:
			said = append(said, hook.Message{Topic: "Incident " + i.name(), Content: hook.WithBlock(text, hook.CodeBlock("quote", i.quote))})
		}
	}
	return hook.Bound(said), unknown
}

// text returns the sentence about what happened, without its end. It is empty if the kind is unknown.
func (i incident) text() (text hook.Markdown, ignored bool) {
	link := hook.Format("Incident %s", hook.Link(i.name(), i.url))
	switch i.kind {
	case "incident.trigger", "incident.triggered":
		return hook.Format("%s triggered%s (assigned to %s)", link, by(i.service), i.assigned()), false
	case "incident.unacknowledge", "incident.unacknowledged":
		return hook.Format("%s unacknowledged%s (assigned to %s)", link, by(i.service), i.assigned()), false
	case "incident.reopened":
		return hook.Format("%s reopened%s (assigned to %s)", link, by(i.by), i.assigned()), false
	case "incident.acknowledge", "incident.acknowledged":
		return hook.Format("%s acknowledged%s", link, by(i.by)), false
	case "incident.escalate", "incident.escalated":
		return hook.Format("%s escalated%s", link, by(i.by)), false
	case "incident.delegate", "incident.delegated":
		return hook.Format("%s delegated%s", link, by(i.by)), false
	case "incident.assign", "incident.reassigned":
		return hook.Format("%s assigned to %s", link, i.assigned()), false
	case "incident.resolve", "incident.resolved":
		return hook.Format("%s resolved%s", link, by(i.by)), false
	case "incident.annotated":
		return hook.Format("%s annotated%s", link, by(i.by)), false
	case "incident.priority_updated":
		return hook.Format("%s changed its priority%s%s", link, i.detail, by(i.by)), false
	case "incident.status_update_published":
		return hook.Format("%s has a status update%s", link, by(i.by)), false
	case "incident.responder.added":
		return hook.Format("%s has a new responder%s", link, named(i.by)), false
	case "incident.responder.replied":
		return hook.Format("%s has a reply%s", link, by(i.by)), false
	case "pagey.ping":
		return git.Configured("PagerDuty", ""), false
	case "incident.conference_bridge.updated", "incident.custom_field_values.updated", "incident.incident_type.changed",
		"incident.workflow.started", "incident.workflow.completed", "incident.role.assigned", "incident.task.created",
		"incident.service_updated", "service.created", "service.updated", "service.deleted", "service.custom_field_values.updated":
		return hook.Markdown{}, true
	default:
		return hook.Markdown{}, false
	}
}

// name returns what an incident is called: its number, or its title if the payload only refers to the incident.
func (i incident) name() string {
	return cmp.Or(i.number, hook.Cut(hook.Line(i.title), maxName), "(unknown)")
}

// assigned returns those whom the incident is assigned to.
func (i incident) assigned() hook.Markdown {
	switch n := len(i.assignees); {
	case n == 0:
		return hook.Format("nobody")
	case n > maxAssignees:
		return hook.Format("%s and %d more", hook.Join(", ", i.assignees[:maxAssignees]...), n-maxAssignees)
	default:
		return hook.Join(", ", i.assignees...)
	}
}

// by returns " by" with who or what did something, unless it is unknown.
func by(who hook.Markdown) hook.Markdown {
	if who.Empty() {
		return who
	}
	return hook.Format(" by %s", who)
}

func named(who hook.Markdown) hook.Markdown {
	if who.Empty() {
		return who
	}
	return hook.Format(", %s", who)
}
