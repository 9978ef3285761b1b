package alertmanager

import (
	"cmp"
	"slices"
	"strings"

	"chatserver.dev/pkg/message"
	"chatserver.dev/services/webhook/hook"
)

// Limits on the messages of a request.
const (
	// maxTopics is the maximum number of topics of a request; alerts of further topics share one.
	maxTopics = 20
	// maxDesc is the maximum length of an alert's text, in characters.
	maxDesc = 500
	// maxSource is the longest address that is linked to, in bytes.
	maxSource = 2000
	// room is reserved in a message for its first line and the number of omitted alerts, in bytes.
	room = 100
)

const (
	unknownTopic = "(unknown)"
	furtherTopic = "(further alerts)"
)

// group are alerts of the same topic.
type group struct {
	topic  string
	alerts alerts
}

// report returns, for each topic, a message about firing alerts and one about resolved alerts (rest-api.md, section
// 6.5). The last one says how many alerts are omitted.
func report(sent payload, name, desc string) []hook.Message {
	said := []hook.Message(nil)
	for _, g := range groups(sent.Alerts, name) {
		resolved := func(a alert) bool { return a.sent.Text("status") == "resolved" }
		// An unknown state is reported as firing, so that people look at it.
		if firing := slices.DeleteFunc(slices.Clone(g.alerts), resolved); len(firing) > 0 {
			said = append(said, hook.Message{Topic: g.topic, Content: list(hook.Format(":alert: **FIRING**"), firing, desc)})
		}
		if over := slices.DeleteFunc(slices.Clone(g.alerts), func(a alert) bool { return !resolved(a) }); len(over) > 0 {
			said = append(said, hook.Message{Topic: g.topic, Content: list(hook.Format(":squared_ok: **Resolved**"), over, desc)})
		}
	}
	if last := len(said) - 1; last >= 0 && sent.Omitted != nil && *sent.Omitted > 0 {
		said[last].Content = hook.Join("\n\n", said[last].Content, hook.Format("… and %d more", int64(*sent.Omitted)))
	}
	return said
}

// groups returns the alerts by topic, in the order of their first alerts.
func groups(all alerts, name string) []group {
	found, places := []group(nil), map[string]int{}
	for _, a := range all {
		topic := hook.Line(a.value(name))
		if topic == "" {
			topic = unknownTopic
		}
		if _, ok := places[topic]; !ok && len(found) >= maxTopics-1 {
			a.from, topic = topic, furtherTopic
		}
		at, ok := places[topic]
		if !ok {
			at = len(found)
			places[topic], found = at, append(found, group{topic: topic})
		}
		found[at].alerts = append(found[at].alerts, a)
	}
	return found
}

// list returns a message with one alert in the line of the head, or with several below it. Alerts that don't fit into a
// message are counted.
func list(head hook.Markdown, of alerts, desc string) hook.Markdown {
	if len(of) == 1 {
		return hook.Join(" ", head, of[0].line(desc))
	}
	lines, size := []hook.Markdown{head}, room
	for i, a := range of {
		line := hook.Format("* %s", a.line(desc))
		if size += len(line.String()) + 1; size > message.MaxContent {
			return hook.Join("\n", append(lines, hook.Format("* … and %d more", len(of)-i))...)
		}
		lines = append(lines, line)
	}
	return hook.Join("\n", lines...)
}

// line returns the text of an alert, with a link to its graph.
func (a alert) line(desc string) hook.Markdown {
	said := hook.Text(hook.Cut(a.value(desc), maxDesc))
	if said.Empty() {
		said = hook.Format("%s", "<missing field: "+hook.Cut(desc, maxDesc)+">")
	}
	graph := hook.Markdown{}
	if source := a.sent.Text("generatorURL"); len(source) <= maxSource && hook.IsPage(source) {
		graph = hook.Format("(%s)", hook.Link("graph", strings.Replace(source, "tab=1", "tab=0", 1)))
	}
	if a.from != "" {
		said = hook.Format("%s: %s", a.from, said)
	}
	return hook.Join(" ", said, graph)
}

// value returns the value of a label, or otherwise of an annotation; empty: there is neither.
func (a alert) value(name string) string {
	return cmp.Or(a.sent.At("labels").Member(name), a.sent.At("annotations").Member(name))
}
