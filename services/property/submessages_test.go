package property_test

import (
	"fmt"
	"maps"
	"net/http"

	"chatserver.dev/services/servicetest"
)

// widgets contains the submessages of messages by message id.
type widgets map[int64]map[int64]string

func (w widgets) add(message, submessage int64, what object) {
	if w[message] == nil {
		w[message] = map[int64]string{}
	}
	w[message][submessage] = fmt.Sprintf("%d %v %v", whole(what["sender_id"]), what["msg_type"], what["content"])
}

// widgetsOf returns the submessages of messages.
func widgetsOf(messages []object) widgets {
	found := widgets{}
	for _, message := range messages {
		for _, s := range objects(message["submessages"]) {
			found.add(whole(message["id"]), whole(s["id"]), s)
		}
	}
	return found
}

// messages returns all messages of the client's account, in the form in which events have them.
func (c *client) messages() []object {
	reply := struct{ Messages []object }{}
	c.person.Do(http.MethodGet, "/messages", servicetest.Params{
		"anchor": "newest", "num_before": 5000, "num_after": 0, "apply_markdown": c.option("apply_markdown"),
	}).OK().Decode(&reply)
	return reply.Messages
}

// applySubmessage applies an event of a submessage.
func (c *client) applySubmessage(e object) {
	c.widgets.add(whole(e["message_id"]), whole(e["submessage_id"]), e)
}

// submessageAct generates an action on the widget of a message that only deletion can take from an account.
func (f *following) submessageAct(p *person, which int) func() {
	return func() {
		f.mu.Lock()
		held := append([]int64{}, f.held[p.id]...)
		f.mu.Unlock()
		if len(held) > 0 {
			f.try(p, http.MethodPost, "/submessage", servicetest.Params{
				"message_id": held[which%len(held)], "msg_type": "widget", "content": fmt.Sprintf(`{"vote":%d}`, which),
			})
		}
	}
}

// compareWidgets adds the submessages in a client's state, and the actual ones.
func (c *client) compareWidgets(got, want object, messages []object) {
	maps.DeleteFunc(c.widgets, func(message int64, _ map[int64]string) bool { return c.gone[message] })
	got["submessages"], want["submessages"] = c.widgets, widgetsOf(messages)
}
