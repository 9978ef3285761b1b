package helloworld

import "chatserver.dev/services/webhook/hook"

// greet returns a greeting with a link to the featured page.
func greet(p payload) hook.Message {
	return hook.Message{
		Topic:   "Hello World",
		Content: hook.Format("Hello! This is what there is to see today. :smile:\nHave a look at **%s**.", hook.Link(p.FeaturedTitle, p.FeaturedURL)),
	}
}
