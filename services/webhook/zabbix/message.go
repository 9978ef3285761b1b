package zabbix

import "chatserver.dev/services/webhook/hook"

// maxValue is the maximum length of a value, in characters.
const maxValue = 1000

// report returns the message; none: the payload lacks something.
func report(p hook.Document) []hook.Message {
	text := func(name string) string { return p.Line(maxValue, name) }
	for _, name := range []string{"hostname", "severity", "status", "item", "trigger", "link"} {
		if !p.Has(name) {
			return nil
		}
	}
	return hook.One(text("hostname"), hook.Format("%s (%s) alert on %s:\n%s", text("status"), text("severity"),
		hook.Link(text("hostname"), p.Text("link")), hook.List(hook.Text(text("trigger")), hook.Text(text("item")))))
}
