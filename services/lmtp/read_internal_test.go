package lmtp

import (
	"strings"
	"testing"
	"time"

	"chatserver.dev/pkg/gateway"
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
