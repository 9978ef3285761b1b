package uploads_test

import (
	"net/http"

	"chatserver.dev/pkg/event"
	"chatserver.dev/services/servicetest"
)

// files returns the files that an account has uploaded.
func files(a servicetest.Account) []event.AttachmentObject {
	got := list{}
	a.Do(http.MethodGet, "/attachments", nil).OK().Decode(&got)
	return got.Attachments
}

// link returns a link to a file in the form of messages.
func link(uri string) string { return "[file](" + uri + ")" }
