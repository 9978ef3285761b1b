package disposable_test

import (
	"strings"
	"testing"

	"chatserver.dev/pkg/disposable"
)

func TestDomain(t *testing.T) {
	t.Parallel()
	for domain, want := range map[string]bool{
		"mailinator.com": true, "Mailinator.COM": true, "a.b.mailinator.com": true, "0-mail.com": true, "zzz.com": true,
		"corp.example": false, "gmail.com": false, "nomailinatorhere.com": false, "mailinator.com.example": false, "com": false, "": false,
		"mailinator.com\n0-mail.com": false, "# Domains of disposable addresses, one a line. See disposable.go.": false,
		strings.Repeat("a.", 127) + "a": false,
	} {
		if got := disposable.Domain(domain); got != want {
			t.Errorf("%q: %v", domain, got)
		}
	}
}
