package mail_test

import (
	"io"
	"mime"
	"mime/quotedprintable"
	gomail "net/mail"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"chatserver.dev/pkg/catalogue"
	"chatserver.dev/pkg/mail"
)

func folder(t *testing.T) (*mail.Folder, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "mail")
	return mail.NewFolder(mail.Config{Dir: path, From: "chat@chat.example"}, time.Now), path
}

// written returns the only mail in a folder, as a server would receive it.
func written(t *testing.T, path string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(path, "*"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(text), "\r\n", "\n")
}

func TestFolder(t *testing.T) {
	t.Parallel()
	f, path := folder(t)
	letter := mail.Letter{
		To: "ada@corp.example", From: "Håfen & Co", Subject: "Join us", Before: []string{"It's <b>us</b>."},
		Link: "https://chat.example/join/X?a=1&b=2", Button: "Join", After: []string{"Bye."},
		ReplyTo: "reply.7.x@in.chat.example",
	}
	if err := f.Deliver(t.Context(), letter); err != nil {
		t.Fatal(err)
	}
	text := written(t, path)
	for _, want := range []string{
		"\nTo: <ada@corp.example>\n", "\nSubject: Join us\n", "<reply.7.x@in.chat.example>\n", "<chat@chat.example>\n", "\nAuto-Submitted: auto-generated\n", "text/plain", "text/html",
		"It's <b>us</b>.", "&lt;b&gt;us&lt;/b&gt;", "\n\n-##- Reply above this line -##-\n\nIt's", ">-##- Reply above this line -##-</p>",
	} {
		if !strings.Contains("\n"+text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	kept, err := f.List()
	if err != nil || len(kept) != 1 || kept[0].Subject != "Join us" || !strings.Contains(kept[0].To, "ada@corp.example") ||
		!strings.Contains(kept[0].Text, "\n"+letter.Link) || time.Since(kept[0].Date).Abs() > time.Minute {
		t.Errorf("%+v, %v", kept, err)
	}
}

// A letter has quotations in both forms, and mail programs can unsubscribe from it with one click.
func TestQuotes(t *testing.T) {
	t.Parallel()
	f, path := folder(t)
	letter := mail.Letter{
		To: "ada@corp.example", From: "Corp", Subject: "News", Unsubscribe: "https://chat.example/unsubscribe/x",
		Quotes: []mail.Quote{{Title: "#hall > <b>", Messages: []mail.QuotedMessage{{By: "Ann <i>", At: "now", Text: "*bold*", HTML: "<b>bold</b>", Old: true}}}},
	}
	if err := f.Deliver(t.Context(), letter); err != nil {
		t.Fatal(err)
	}
	text := written(t, path)
	for _, want := range []string{
		"\nList-Unsubscribe: <https://chat.example/unsubscribe/x>\n", "\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\n",
		"\nAnn <i>, now (earlier):\n*bold*\n", "&lt;b&gt;", "Ann &lt;i&gt;", "<b>bold</b>",
	} {
		if !strings.Contains("\n"+text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// Texts that people choose can't add a header, a receiver or markup.
func TestHostileLetters(t *testing.T) {
	t.Parallel()
	f, path := folder(t)
	letter := mail.Letter{
		To: "ada@corp.example", From: "Evil\"\r\nBcc: eve@corp.example\r\n", Subject: "Hello\r\nBcc: eve@corp.example\r\n\r\nbody\x00",
		Before: []string{"<script>alert(1)</script>\r\n.\r\nMAIL FROM:<eve@corp.example>"}, Link: "javascript:alert(1)", Button: "<b>",
	}
	if err := f.Deliver(t.Context(), letter); err != nil {
		t.Fatal(err)
	}
	head, body, _ := strings.Cut(written(t, path), "\n\n")
	for line := range strings.Lines(head) {
		if strings.HasPrefix(strings.ToLower(line), "bcc") {
			t.Errorf("an injected header:\n%s", head)
		}
	}
	if strings.Contains(body, `href="javascript`) {
		t.Error(body)
	}
	for _, to := range []string{"", "ada", "Ada <ada@corp.example>", "ada@corp.example, eve@corp.example", "ada@corp.example\r\nBcc: eve@corp.example", "ada@corp.example\n", "ada@bü\u200Bcher-.example"} {
		if err := f.Deliver(t.Context(), mail.Letter{To: to, From: "x", Subject: "x"}); err == nil {
			t.Errorf("sent to %q", to)
		}
	}
	letter = mail.Letter{To: "ada@corp.example", From: strings.Repeat("ü", 10000), Subject: strings.Repeat("x ", 10000)}
	if err := f.Deliver(t.Context(), letter); err != nil {
		t.Fatal(err)
	}
	if kept, err := f.List(); err != nil || len([]rune(kept[0].Subject)) > 200 {
		t.Errorf("%v, %v", kept, err)
	}
}

// Headers are in ASCII, in short lines, and mean what was written: nothing in them is taken for an encoded word, or for an address.
func TestHeaders(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		`Quo"te \ back, (paren) <x@y.example>; a: b`, "x@y.example", "=?utf-8?q?Bcc:_eve=0D=0AX:_y?= x", "ü =?utf-8?q?x?=", "#日本語 > 👩‍👧 " + strings.Repeat("語", 60),
		strings.Repeat("x", 150), strings.Repeat("word ", 29) + "word",
	} {
		f, path := folder(t)
		letter := mail.Letter{To: "ada@bücher.example", From: name, Subject: name, ReplyTo: "reply.7.x@in.chat.example", Thread: "0aff"}
		if err := f.Deliver(t.Context(), letter); err != nil {
			t.Fatal(err)
		}
		m, err := gomail.ReadMessage(strings.NewReader(written(t, path)))
		if err != nil {
			t.Fatal(err)
		}
		decoded, err := new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
		if said := strings.ReplaceAll(decoded, "\u200B", ""); err != nil || said != name {
			t.Errorf("subject %q, %v, want %q", decoded, err, name)
		}
		for header, address := range map[string]string{"From": "chat@chat.example", "Reply-To": letter.ReplyTo, "To": "ada@xn--bcher-kva.example"} {
			got, err := m.Header.AddressList(header)
			if err != nil || len(got) != 1 || got[0].Address != address || header != "To" && strings.ReplaceAll(got[0].Name, "\u200B", "") != name {
				t.Errorf("%s: %v, %v", header, got, err)
			}
		}
		if m.Header.Get("In-Reply-To") != "<0aff@chat.example>" || m.Header.Get("References") != "<0aff@chat.example>" {
			t.Errorf("the thread is in %v", m.Header)
		}
		for line := range strings.Lines(written(t, path)) {
			if len(line) > 200 || strings.ContainsFunc(line, func(r rune) bool { return r >= utf8.RuneSelf }) || strings.Contains(line, "=?utf-8?q?x?=") {
				t.Errorf("line %q", line)
			}
		}
	}
}

// The size of a folder is limited.
func TestFolderKeepsTheNewest(t *testing.T) {
	t.Parallel()
	f, path := folder(t)
	for range 205 {
		if err := f.Deliver(t.Context(), mail.Letter{To: "ada@corp.example", From: "x", Subject: "x"}); err != nil {
			t.Fatal(err)
		}
	}
	files, err := filepath.Glob(filepath.Join(path, "*"))
	if err != nil || len(files) != 200 {
		t.Errorf("%d files, %v", len(files), err)
	}
}

// The texts of the layout are in the letter's language, and texts that people choose are escaped there as well.
func TestLanguageOfLetters(t *testing.T) {
	t.Parallel()
	f, path := folder(t)
	german := catalogue.In("de")
	letter := mail.NewLetter(german, `<i>"Evil" & Co</i>`, german.Mail.Invitation("<b>Corp</b>", "https://chat.example", "<img src=x>", "<img src=x> (a@b.example)"), "https://chat.example/join/x")
	letter.To, letter.Unsubscribe = "ada@corp.example", "https://chat.example/unsubscribe/x"
	letter.Quotes = []mail.Quote{{Title: "#hall", Messages: []mail.QuotedMessage{{By: "<u>Ann", At: "jetzt", Text: "x", HTML: "x", Old: true}}}}
	if err := f.Deliver(t.Context(), *letter); err != nil {
		t.Fatal(err)
	}
	kept, err := f.List()
	if err != nil || len(kept) != 1 || kept[0].Subject != "<img src=x> lädt dich zu <b>Corp</b> ein" ||
		!strings.Contains(kept[0].Text, "<u>Ann, jetzt (früher):") || !strings.Contains(kept[0].Text, "Diese E-Mails abbestellen:") {
		t.Errorf("%+v, %v", kept, err)
	}
	_, marked, _ := strings.Cut(written(t, path), "text/html")
	text, err := io.ReadAll(quotedprintable.NewReader(strings.NewReader(marked)))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`<html lang="de" dir="ltr">`, "Oder öffne diese Adresse", "&lt;img src=x&gt; (a@b.example) lädt dich zu &lt;b&gt;Corp", "&lt;u&gt;Ann"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	for _, not := range []string{"<img", "<u>", "<i>", "<b>Corp"} {
		if strings.Contains(string(text), not) {
			t.Errorf("%q in\n%s", not, text)
		}
	}
}
