package lmtp

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"chatserver.dev/pkg/catalogue"
	"chatserver.dev/pkg/gateway"
	"chatserver.dev/pkg/mail"
)

// letterIn returns the text of a mail about missed messages in a language, as it is sent.
func letterIn(t *testing.T, language string) string {
	t.Helper()
	f := mail.NewFolder(mail.Config{Dir: filepath.Join(t.TempDir(), "mail"), From: "chat@chat.example"}, time.Now)
	err := f.Deliver(t.Context(), mail.Letter{
		Language: language, To: "bob@home.example", From: "Plant", ReplyTo: "reply.7.x@in.chat.example", Subject: "Private messages with Ann",
		Before:      []string{"There are unread messages."},
		Quotes:      []mail.Quote{{Title: "Ann", Messages: []mail.QuotedMessage{{By: "Ann", At: "now", Text: "hi", HTML: "hi"}}}},
		Unsubscribe: "https://chat.example" + mail.UnsubscribePath + strings.Repeat("x-_9", 20),
	})
	if err != nil {
		t.Fatal(err)
	}
	kept, err := f.List()
	if err != nil || len(kept) != 1 {
		t.Fatalf("%+v, %v", kept, err)
	}
	return strings.ReplaceAll(kept[0].Text, "\r\n", "\n")
}

func quote(text string) string {
	return "> " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n> ") + "\n"
}

// A reply to a mail of this server is what is above the mail, whatever program and language it is quoted in.
func TestReplies(t *testing.T) {
	t.Parallel()
	const outlook = "From: Plant <chat@chat.example>\nSent: Friday, 1 May 2026 10:00\nTo: bob@home.example\nSubject: Private messages with Ann\n\n"
	for _, one := range catalogue.All() {
		text := letterIn(t, one.Code)
		for what, c := range map[string][2]string{
			"Outlook":                       {"Thanks.\n\n" + outlook + text, "Thanks."},
			"Outlook, in French":            {"Merci.\n\nDe : Plant\nEnvoyé : vendredi 1 mai 2026 10:00\nÀ : bob@home.example\nObjet : Ann\n\n" + text, "Merci."},
			"Outlook, in Chinese":           {"谢谢\n\n发件人：Plant\n发送时间：2026年5月1日\n收件人：Bob\n主题：Ann\n\n" + text, "谢谢"},
			"a sentence":                    {"Grazie.\n\nIl giorno ven 1 mag 2026 alle ore 10:00 Plant <chat@chat.example> ha scritto:\n\n" + quote(text), "Grazie."},
			"a sentence in two lines":       {"Gracias.\n\nEl vie, 1 may 2026 a las 10:00, Plant (<chat@chat.example>)\nescribió:\n\n" + quote(text), "Gracias."},
			"a sentence below the text":     {"Bedankt.\nOp 1 mei 2026 schreef Plant:\n" + quote(text), "Bedankt."},
			"without quotation marks":       {"Tack.\n\nDen fre 1 maj 2026 kl 10:00 skrev Plant <chat@chat.example>:\n\n" + text, "Tack."},
			"nothing in between":            {"Yes.\n\nThese are the ones:\n\n" + text, "Yes.\n\nThese are the ones:"},
			"a text with a colon per line":  {"This is when I can:\n\nMonday: yes\nTuesday: from 10:30\nFriday: no\n\n" + text, "This is when I can:\n\nMonday: yes\nTuesday: from 10:30\nFriday: no"},
			"a text that looks like fields": {"Host: db1\nState: down\n\n" + text, "Host: db1\nState: down"},
		} {
			if got := fromPlain(c[0], gateway.Options{}); got != c[1] {
				t.Errorf("%s, %s: %q, want %q", one.Code, what, got, c[1])
			}
		}
		if got := fromPlain("Plant wrote:\n"+quote(text)+"\nBelow.\n", gateway.Options{}); got != "Below." {
			t.Errorf("%s, below the quotation: %q", one.Code, got)
		}
		between := fromPlain("Plant wrote:\n"+quote(text)+"\nNow.\n"+quote("Where?")+"\nBelow.\n", gateway.Options{})
		if !strings.HasSuffix(between, "\nNow.\n> Where?\n\nBelow.") || !strings.Contains(between, "> hi\n") || strings.Contains(between, mail.UnsubscribePath) {
			t.Errorf("%s, between the quotations: %q", one.Code, between)
		}
	}
}

// The same holds for HTML.
func TestRepliesInHTML(t *testing.T) {
	t.Parallel()
	line, _, _ := strings.Cut(letterIn(t, "en"), "\n")
	for what, text := range map[string]string{
		"Outlook":         `<p>Thanks.</p><div><p><b>From:</b> Plant &lt;chat@chat.example&gt;<br><b>Sent:</b> Friday, 1 May 2026<br><b>To:</b> Bob<br><b>Subject:</b> Ann</p></div><p>` + line + `</p><p>old</p>`,
		"Outlook's marks": `<p>Thanks.</p><div id=appendonsend></div><hr><div id=divRplyFwdMsg>From: x</div><div>old</div><blockquote>older</blockquote>`,
		"a sentence":      `<p>Thanks.</p><p>Il giorno 1 mag 2026 Plant ha scritto:</p><div><p>` + line + `</p><p>old</p></div>`,
	} {
		if got := fromHTML(text, gateway.Options{}); strings.TrimSpace(got) != "Thanks." {
			t.Errorf("%s: %q", what, got)
		}
	}
	all := fromHTML(`<blockquote><p>`+line+`</p><p>old <a href="https://chat.example/unsubscribe/`+strings.Repeat("x", 60)+`">End these mails</a></p></blockquote>`, gateway.Options{})
	if strings.Contains(all, mail.UnsubscribePath) || !strings.Contains(all, line) {
		t.Errorf("only a quotation: %q", all)
	}
}
