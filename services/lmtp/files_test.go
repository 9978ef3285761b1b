package lmtp_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/servicetest"
)

// A mail's text stays, and no link is cut, however long the names of its files are.
func TestFilesWithLongNames(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for what, c := range map[string]struct {
		name  string
		count int
	}{
		"one name":   {strings.Repeat("A ", 6000) + ".txt", 1},
		"many names": {strings.Repeat("ü", 80), 25},
	} {
		mail := strings.Builder{}
		fmt.Fprintf(&mail, "Message-ID: <%s>\nSubject: %s\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain\n\nthe text\n", what, what)
		for range c.count {
			mail.WriteString("--b\nContent-Type: text/plain\nContent-Disposition: attachment")
			for i, part := 0, c.name; part != ""; i++ { // RFC 2231, section 4.1
				end := min(500, len(part))
				fmt.Fprintf(&mail, ";\n filename*%d*=%s%s", i, strings.Repeat("utf-8''", max(0, 1-i)), url.PathEscape(part[:end]))
				part = part[end:]
			}
			mail.WriteString("\n\nx\n")
		}
		mail.WriteString("--b--\n")
		servicetest.Same(t, what, map[string]int{w.hall: 0}, w.send("b@x.example", mail.String(), w.hall))
		contents := storetest.Values[string](w.sql, "select content from messages where topic = $1", what)
		if len(contents) != 1 || !strings.Contains(contents[0], "the text\n\n[") || strings.Contains(contents[0], "truncated") {
			t.Fatalf("%s: %.400q", what, contents)
		}
		stored := storetest.Values[int64](w.sql, "select count(*) from attachments")[0]
		linked := storetest.Values[int64](w.sql, "select count(*) from attachment_messages")[0]
		if stored != linked {
			t.Errorf("%s: %d files, and %d in messages: %.400q", what, stored, linked, contents)
		}
	}
}

// A long text is truncated so that the links to a mail's files fit.
func TestFilesWithLongText(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	plain := strings.Replace(w.hall, ".show-sender", "", 1)
	for i, text := range []string{strings.Repeat("x", 20_000), strings.Repeat("é", 6000), strings.Repeat("€", 4000)} {
		mail := fmt.Sprintf("Message-ID: <%d@x.example>\nSubject: long\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\n"+
			"Content-Type: text/plain; charset=utf-8\n\n%s\n--b\nContent-Disposition: attachment; filename=plan.txt\n\nx\n--b--\n", i, text)
		servicetest.Same(t, text[:3], map[string]int{plain: 0}, w.send("b@x.example", mail, plain))
		contents := storetest.Values[string](w.sql, "select content from messages order by message_id desc limit 1")
		if len(contents) != 1 || !strings.Contains(contents[0], "\n[message truncated]\n\n[plan.txt](/user_uploads/") || len(contents[0]) < message.MaxContent-4 {
			t.Errorf("%.3s: %q", text, contents)
		}
	}
}

// A mail whose subject can't be decoded may begin with a file, or have no text.
func TestFileAndUnknownSubject(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	mail := "Message-ID: <f@x.example>\nSubject: =?martian?Q?x?=\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n" +
		"--b\nContent-Disposition: attachment; filename=plan.txt\n\nx\n--b\nContent-Type: text/plain\n\nthe text\n--b--\n"
	servicetest.Same(t, "answers", map[string]int{w.hall: 0}, w.send("b@x.example", mail, w.hall))
	if said := w.said(); len(said) != 1 || !strings.Contains(said[0], "the text\n\n[plan.txt]") {
		t.Errorf("%q", said)
	}
}
