package main

import (
	"slices"
	"testing"
)

// What the environment says of mail counts with the demo, too: whoever switches the page off has a reason.
func TestMailOfDemo(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		given settings
		want  []string
	}{
		"nothing, with other machines": {settings{}, []string{"MAIL_DIR=d/mail", "MAIL_PAGE=false", "MAIL_FROM=chat@chat.example"}},
		"nothing":                      {settings{local: true}, []string{"MAIL_DIR=d/mail", "MAIL_PAGE=true", "MAIL_FROM=chat@chat.example"}},
		"a page and an address": {
			settings{local: true, MailPage: "false", MailFrom: "us@chat.example"}, []string{"MAIL_DIR=d/mail", "MAIL_PAGE=false", "MAIL_FROM=us@chat.example"},
		},
	} {
		c.given.Demo, c.given.LocalDir = true, "d"
		if got := c.given.variables(); !slices.Equal(got[len(got)-5:len(got)-2], c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	for _, given := range []settings{{Demo: true, SMTP: "smtp://x.example"}, {Demo: true, MailDir: "m"}, {}} {
		if got := given.variables(); slices.ContainsFunc(got, func(text string) bool { return len(text) > 5 && text[:5] == "MAIL_" }) {
			t.Errorf("%+v: %q", given, got)
		}
	}
}
