package uploads_test

import (
	"net/http"

	"chatserver.dev/pkg/event"
	"chatserver.dev/services/servicetest"
)

// files are those that somebody has uploaded.
func files(a servicetest.Account) []event.AttachmentObject {
	got := list{}
	a.Do(http.MethodGet, "/attachments", nil).OK().Decode(&got)
	return got.Attachments
}

// link is a link to a file, as in a message.
func link(uri string) string { return "[file](" + uri + ")" }
