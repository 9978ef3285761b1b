package property_test

import (
	"fmt"
	"net/http"

	"chatserver.dev/services/servicetest"
)

// filesOf requests a person's uploaded files, without the files' messages, because there are no events for files when a
// message is deleted.
func filesOf(p *person) map[int64]object {
	reply := struct{ Attachments []object }{}
	p.Do(http.MethodGet, "/attachments", nil).OK().Decode(&reply)
	files := map[int64]object{}
	for _, file := range reply.Attachments {
		delete(file, "messages")
		files[whole(file["id"])] = file
	}
	return files
}

// applyFile applies an event of an uploaded file. A sender of another person's file gets the event, too.
func (c *client) applyFile(e object) {
	file, _ := e["attachment"].(object)
	number := whole(file["id"])
	delete(file, "messages")
	if _, own := c.files[number]; e["op"] == "remove" {
		delete(c.files, number)
	} else if own || e["op"] == "add" {
		c.files[number] = file
	}
}

// fileAct generates an action on uploaded files: one is uploaded, sent in a message, or deleted.
func (f *following) fileAct(p *person, which int, on bool) func() {
	remove := f.one(3, "remove")
	return func() {
		if remove {
			for number := range filesOf(p) {
				f.try(p, http.MethodDelete, fmt.Sprintf("/attachments/%d", number), nil)
				return
			}
		}
		f.note("%s: POST /user_uploads", p.name)
		uri := p.Upload(fmt.Sprintf("plan %d.txt", which), "plan")
		if on {
			f.send(p, true, true, servicetest.Params{"type": "stream", "to": "hall", "topic": "plans", "content": "[plan](" + uri + ")"}, f.people)
		}
	}
}
