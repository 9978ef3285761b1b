package homeassistant

import (
	"cmp"

	"chatserver.dev/services/webhook/hook"
)

// report returns the message, which is Markdown of the automation's author; none if it is empty.
func report(notification hook.Document) []hook.Message {
	content := hook.Written(notification.Text("message"))
	if content.Empty() {
		return nil
	}
	return hook.One(cmp.Or(hook.Line(notification.Text("topic")), hook.Line(notification.Text("title")), "homeassistant"), content)
}
