package homeassistant

import (
	"cmp"

	"chatserver.dev/services/webhook/hook"
)

// report returns the message, which is Markdown of the automation's author.
func report(notification hook.Document) hook.Message {
	return hook.Message{
		Topic:   cmp.Or(hook.Line(notification.Text("topic")), hook.Line(notification.Text("title")), "homeassistant"),
		Content: hook.Written(notification.Text("message")),
	}
}
