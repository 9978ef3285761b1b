package lmtp

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-message"
	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/gateway"
	"chatserver.dev/pkg/incomingmail"
)

// HTML that takes long is converted once, however many recipients a mail has.
func TestHTMLForManyRecipients(t *testing.T) {
	t.Parallel()
	m, err := read([]byte("Subject: x\r\nContent-Type: text/html\r\n\r\n" + strings.Repeat("<p>x</p>\r\n", 20_000)))
	if err != nil {
		t.Fatal(err)
	}
	took := func(times int) time.Duration {
		start := time.Now()
		for range times {
			if text := m.Text(gateway.Options{}); !strings.Contains(text, "x") {
				t.Fatalf("%.100q", text)
			}
		}
		return time.Since(start)
	}
	if one, more := took(1), took(maxRecipients-1); more > one {
		t.Errorf("%v for the first recipient, and %v for the others", one, more)
	}
	if other := m.Text(gateway.Options{KeepQuotes: true}); !strings.Contains(other, "x") {
		t.Errorf("%.100q", other)
	}
}

// What is very deep in lists, quotations and headings stays, and isn't indented for each of them.
func TestNestedHTML(t *testing.T) {
	t.Parallel()
	const deep, lines, limit = 200, 1000, 50 // most bytes a line
	for _, open := range []string{"<ul><li>", "<ol><li>", "<blockquote>", "<h1><div>", "<ul><li><blockquote><h2><div>"} {
		text := fromHTML(strings.Repeat(open, deep/strings.Count(open, "<"))+strings.Repeat("x<br>", lines), gateway.Options{KeepQuotes: true})
		if found := strings.Count(text, "x"); found != lines {
			t.Errorf("%s: %d lines of %d", open, found, lines)
		}
		if len(text) > limit*lines {
			t.Errorf("%s: %d bytes", open, len(text))
		}
	}
	few := fromHTML(strings.Repeat("<ul><li>x", maxNested)+"<ul><li>end", gateway.Options{})
	if want := "\n" + strings.Repeat(" ", 2*(maxNested-1)) + "- x\n"; !strings.Contains(few, want) {
		t.Errorf("%q isn't in %q", want, few)
	}
}

// The files of a mail are decoded into memory of a bounded size: one that doesn't fit into the rest of it is too large.
func TestRoomForFiles(t *testing.T) {
	t.Parallel()
	part := func(name, encoding, content string) string {
		return "--b\r\nContent-Type: text/plain; charset=tis-620; name=" + name + "\r\nContent-Transfer-Encoding: " + encoding + "\r\n\r\n" + content + "\r\n"
	}
	raw := []byte("Content-Type: multipart/mixed; boundary=b\r\n\r\n" + part("thai", "8bit", strings.Repeat("\xa1", 40)) + part("base64", "base64", "YWJj\r\nZGVm\r\n!") +
		part("large", "8bit", strings.Repeat("x", 100)) + part("last", "quoted-printable", "=41=\r\nB") + strings.Repeat(part("more", "8bit", "x"), incomingmail.MaxFiles) + "--b--\r\n")
	top, err := open(raw)
	if err != nil {
		t.Fatal(err)
	}
	found, got := files{room: 200}, []string{}
	if err := walk(top, func(e *message.Entity) error { found.add(e); return nil }); err != nil {
		t.Fatal(err)
	}
	for _, f := range found.all {
		got = append(got, fmt.Sprintf("%s %q %t", f.Name, f.Content, f.TooLarge))
	}
	want := slices.Concat(
		[]string{fmt.Sprintf("thai %q false", strings.Repeat("\u0e01", 40)), `base64 "abcdef" false`, `large "" true`, `last "AB" false`},
		slices.Repeat([]string{`more "x" false`}, incomingmail.MaxFiles-4), slices.Repeat([]string{`more "" false`}, 4))
	if diff := cmp.Diff(want, got); diff != "" || cap(found.buf) != 200 {
		t.Errorf("%d bytes, %s", cap(found.buf), diff)
	}
}
