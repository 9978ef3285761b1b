package grafana

import (
	"fmt"
	"slices"

	"chatserver.dev/services/webhook/hook"
)

// Limits on an alert's line.
const (
	maxText   = 500 // characters of its summary and of its name
	maxLabels = 5
	maxValue  = 100 // characters of a label and of a value
)

// report returns the message about a notification; none if there are neither alerts nor words.
func report(n hook.Document) []hook.Message {
	var content hook.Markdown
	if alerts := n.List("alerts"); len(alerts) > 0 {
		content = unified(alerts, n.Number("truncatedAlerts"))
	} else {
		content = legacy(n)
	}
	if content.Empty() {
		return nil
	}
	return hook.One(n.Or("title", "ruleName"), content)
}

// legacy returns the text about a rule of legacy alerting.
func legacy(n hook.Document) hook.Markdown {
	matches := []hook.Markdown(nil)
	for i, match := range n.List("evalMatches") {
		if i == maxMatches {
			matches = append(matches, hook.Format("… and %d more", len(n.List("evalMatches"))-i))
			break
		}
		matches = append(matches, hook.Join(" ",
			hook.Format("**%s:**", hook.Cut(match.Text("metric"), maxText)), hook.Text(hook.Cut(match.Text("value"), maxValue))))
	}
	image := hook.Markdown{}
	if address := n.Text("imageUrl"); hook.IsPage(address) {
		image = hook.Link("Click to view visualization", address)
	}
	rule := hook.Link(hook.Cut(n.Or("ruleName", "title"), maxText), n.Text("ruleUrl"))
	return hook.Join("\n\n", rule, hook.Lines(n.Text("message")), hook.Join("\n", matches...), image)
}

// maxMatches is the maximum number of matches of a rule that are shown.
const maxMatches = 20

// unified returns the text about alerts: those that are firing, then those that are resolved. omitted is the number of
// alerts that Grafana left out.
func unified(alerts []hook.Document, omitted int64) hook.Markdown {
	resolved := func(a hook.Document) bool { return a.Text("status") == "resolved" }
	// An unknown state is reported as firing, so that people look at it.
	firing := slices.DeleteFunc(slices.Clone(alerts), resolved)
	over := slices.DeleteFunc(slices.Clone(alerts), func(a hook.Document) bool { return !resolved(a) })
	more := hook.Markdown{}
	if omitted > 0 {
		more = hook.Format("… and %d more", omitted)
	}
	return hook.Join("\n\n", list(hook.Format(":alert: **FIRING**"), firing), list(hook.Format(":squared_ok: **Resolved**"), over), more)
}

// list returns the text about alerts in the same state: in the line of the head, or below it if there are several.
func list(head hook.Markdown, alerts []hook.Document) hook.Markdown {
	lines := make([]hook.Markdown, len(alerts))
	for i, a := range alerts {
		lines[i] = line(a)
	}
	switch len(lines) {
	case 0:
		return hook.Markdown{}
	case 1:
		return hook.Join(" ", head, lines[0])
	default:
		return hook.Join("\n", head, hook.List(lines...))
	}
}

// line returns the text of an alert: its name, what its rule says, what distinguishes it, and links.
func line(a hook.Document) hook.Markdown {
	name := hook.Cut(a.Text("labels.alertname"), maxText)
	said := hook.Cut(a.Or("annotations.summary", "annotations.description", "annotations.message"), maxText)
	head := hook.Join(": ", bold(name), hook.Text(said))
	if head.Empty() {
		head = hook.Format("Alert")
	}
	return hook.Join(" ", head, labels(a), values(a), links(a))
}

func bold(words string) hook.Markdown {
	if hook.Line(words) == "" {
		return hook.Markdown{}
	}
	return hook.Format("**%s**", words)
}

// labels returns the labels that distinguish an alert from others of its rule.
func labels(a hook.Document) hook.Markdown {
	shown := []hook.Markdown(nil)
	for _, name := range a.Names("labels") {
		value := a.At("labels").Member(name)
		if name == "alertname" || name == "grafana_folder" || value == "" || len(shown) == maxLabels {
			continue
		}
		shown = append(shown, hook.Code(hook.Cut(name+"="+value, maxValue)))
	}
	return hook.Join(" ", shown...)
}

// values returns the values that the rule's expressions had.
func values(a hook.Document) hook.Markdown {
	shown := []hook.Markdown(nil)
	for _, name := range a.Names("values") {
		if value := a.At("values").Member(name); value != "" && len(shown) < maxLabels {
			shown = append(shown, hook.Text(fmt.Sprintf("%s = %s", name, hook.Cut(value, maxValue))))
		}
	}
	return hook.Join(", ", shown...)
}

// links returns links to the graph, to a form that silences the alert, and to a picture of the graph.
func links(a hook.Document) hook.Markdown {
	shown := []hook.Markdown(nil)
	link := func(name, address string) {
		if hook.IsPage(address) {
			shown = append(shown, hook.Link(name, address))
		}
	}
	link("graph", a.Or("panelURL", "dashboardURL", "generatorURL"))
	if a.Text("status") != "resolved" {
		link("silence", a.Text("silenceURL"))
	}
	link("image", a.Text("imageURL"))
	if len(shown) == 0 {
		return hook.Markdown{}
	}
	return hook.Format("(%s)", hook.Join(", ", shown...))
}
