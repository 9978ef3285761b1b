package mail_test

import (
	"strings"
	"testing"

	"chatserver.dev/pkg/mail"
)

func TestConfig(t *testing.T) {
	t.Parallel()
	const from = "chat@chat.example"
	for _, good := range []mail.Config{
		{},
		{Dir: "x", From: from, Page: true},
		{SMTP: "smtps://me:secret@mail.example", From: from},
		{SMTP: "smtp://mail.example:2525/", From: from},
		{SMTP: "smtp://127.0.0.1?tls=none", From: from},
		{SMTP: "smtps://mail.example", From: from, User: "me@mail.example", Password: "sec%ret/@"},
	} {
		if err := good.Check(); err != nil {
			t.Errorf("%+v: %v", good, err)
		}
	}
	for _, bad := range []struct {
		config mail.Config
		says   string
	}{
		{mail.Config{Dir: "x"}, "MAIL_FROM"},
		{mail.Config{Dir: "x", From: "Chat <chat@chat.example>"}, "MAIL_FROM"},
		{mail.Config{Page: true}, "MAIL_PAGE"},
		{mail.Config{Dir: "x", SMTP: "smtp://mail.example", From: from}, "MAIL_DIR"},
		{mail.Config{SMTP: "mail.example:25", From: from}, "SMTP_URL"},
		{mail.Config{SMTP: "smtp://me:secret@", From: from}, "SMTP_URL"},
		{mail.Config{SMTP: "smtp://me:sec%ret@mail.example", From: from}, "SMTP_URL"},
		{mail.Config{SMTP: "http://mail.example", From: from}, "SMTP_URL"},
		{mail.Config{SMTP: "smtps://mail.example?tls=none", From: from}, "SMTP_URL"},
		{mail.Config{SMTP: "smtp://mail.example:0", From: from}, "SMTP_URL: its port isn't a number from 1 to 65535"},
		{mail.Config{SMTP: "smtp://me:secret@mail.example?tls=none", From: from}, "SMTP_URL"},
		{mail.Config{User: "me", Password: "secret"}, "SMTP_URL"},
		{mail.Config{Dir: "x", From: from, User: "me", Password: "secret"}, "SMTP_URL"},
		{mail.Config{SMTP: "smtp://mail.example", From: from, User: "me"}, "SMTP_PASSWORD"},
		{mail.Config{SMTP: "smtp://mail.example", From: from, Password: "secret"}, "SMTP_USER"},
		{mail.Config{SMTP: "smtp://you:other@mail.example", From: from, User: "me", Password: "secret"}, "SMTP_USER is set as well"},
		{mail.Config{SMTP: "smtp://mail.example?tls=none", From: from, User: "me", Password: "secret"}, "SMTP_URL"},
	} {
		err := bad.config.Check()
		if err == nil || !strings.Contains(err.Error(), bad.says) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%+v: %v", bad.config, err)
		}
	}
}
