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
