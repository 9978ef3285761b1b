package newrelic

import (
	"cmp"
	"encoding/json"
	"strings"

	"chatserver.dev/services/webhook/hook"
)

const (
	// maxText is the maximum length of a title or a value, in characters.
	maxText = 500
	// maxNames is the maximum number of names that are listed for one member.
	maxNames = 10
)

// report returns the message; none: the payload isn't of New Relic.
func report(p hook.Document) []hook.Message {
	alert, deployment := inner(p, "alert"), inner(p, "deployment")
	switch {
	case alert.Has("message") || alert.Has("long_description") || alert.Has("short_description"):
		return legacy(alert)
	case deployment.Has("revision") || deployment.Has("application_name") || deployment.Has("description"):
		return deployed(deployment)
	case p.Has("current_state") || p.Has("incident_id") || p.Has("condition_name"):
		return incident(p)
	case p.Has("issueUrl") || p.Has("issueId") || p.Has("title"):
		return issue(p)
	default:
		return nil
	}
}

// inner returns a member that is an object, or JSON of one in a form.
func inner(p hook.Document, name string) hook.Document {
	if p.Text(name) == "" {
		return p.At(name)
	}
	decoder := json.NewDecoder(strings.NewReader(p.Text(name)))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return hook.Document{}
	}
	return hook.NewDocument(value)
}

// legacy reports an alert of legacy alerting.
func legacy(alert hook.Document) []hook.Message {
	view := hook.Markdown{}
	if address := alert.Text("alert_url"); hook.IsPage(address) {
		view = hook.Link("View alert", address)
	}
	topic := cmp.Or(alert.Line(maxText, "message", "short_description"), "Alert")
	said := hook.Lines(alert.Or("long_description", "short_description", "message"))
	return hook.One(topic, hook.Join("\n", said, view))
}

// deployed reports a deployment.
func deployed(d hook.Document) []hook.Message {
	revision := hook.Code(cmp.Or(d.Line(maxText, "revision"), "unknown revision"))
	by := hook.Markdown{}
	if who := d.Line(maxText, "deployed_by", "user"); who != "" {
		by = hook.Format(" by **%s**", who)
	}
	name := d.Line(maxText, "application_name", "entity_name")
	return hook.One(strings.TrimSpace(name+" deploy"), hook.Join("\n\n",
		hook.Format("%s deployed%s.", revision, by), hook.Quote(d.Text("description")), hook.Quote(d.Text("changelog"))))
}

// state returns a mark for a state, and the state.
func state(name string) hook.Markdown {
	switch strings.ToLower(name) {
	case "":
		return hook.Format(":alert:")
	case "closed":
		return hook.Format(":squared_ok: **Closed**")
	case "acknowledged":
		return hook.Format(":eyes: **Acknowledged**")
	default:
		return hook.Format(":alert: **%s**", strings.ToUpper(name))
	}
}

// incident reports an incident of classic alerts.
func incident(p hook.Document) []hook.Message {
	name := cmp.Or(p.Line(maxText, "condition_name", "policy_name"), "Incident")
	topic := name
	if policy := p.Line(maxText, "policy_name"); policy != "" && policy != name {
		topic = policy + ": " + name
	}
	head := hook.Join(" ", state(p.Line(maxText, "current_state", "event_state")), hook.Link(name, p.Text("incident_url")))
	runbook := hook.Markdown{}
	if address := p.Text("runbook_url"); hook.IsPage(address) {
		runbook = hook.Link("runbook", address)
	}
	items := hook.List(
		hook.Item("Severity", hook.Text(p.Line(maxText, "severity"))),
		hook.Item("Policy", hook.Link(p.Line(maxText, "policy_name"), p.Text("policy_url"))),
		hook.Item("Targets", names(p.List("targets"))),
		hook.Item("Owner", hook.Text(p.Line(maxText, "owner"))),
		hook.Item("Runbook", runbook),
	)
	return hook.One(topic, hook.Join("\n\n", hook.Join("\n", head, items), hook.Quote(p.Text("details"))))
}

// issue reports an issue of a workflow.
func issue(p hook.Document) []hook.Message {
	title := p.Line(maxText, "title")
	if title == "" { // workflows may send a list
		if titles := p.List("title"); len(titles) > 0 {
			title = titles[0].Line(maxText, "")
		}
	}
	title = cmp.Or(title, p.Line(maxText, "issueId", "id"), "Issue")
	head := hook.Join(" ", state(p.Line(maxText, "state")), hook.Link(title, p.Or("issueUrl", "violationChartUrl")))
	return hook.One(title, hook.Join("\n", head, hook.List(
		hook.Item("Priority", hook.Text(p.Line(maxText, "priority"))),
		hook.Item("Entities", list(p, "impactedEntities")),
		hook.Item("Condition", list(p, "alertConditionNames")),
		hook.Item("Policy", list(p, "alertPolicyNames")),
		hook.Item("Workflow", hook.Text(p.Line(maxText, "workflowName"))),
		hook.Item("Owner", hook.Text(p.Line(maxText, "owner"))),
	)))
}

// list returns the names at a path, a list or one text.
func list(p hook.Document, path string) hook.Markdown {
	if one := p.Line(maxText, path); one != "" {
		return hook.Text(one)
	}
	return names(p.List(path))
}

// names returns the first names of a list of texts, or of objects with a name.
func names(all []hook.Document) hook.Markdown {
	shown := []hook.Markdown(nil)
	for _, item := range all[:min(len(all), maxNames)] {
		name := item.Line(maxText, "", "name", "id")
		shown = append(shown, hook.Link(name, item.Text("link")))
	}
	if more := len(all) - maxNames; more > 0 {
		shown = append(shown, hook.Format("and %d more", more))
	}
	return hook.Join(", ", shown...)
}
