// Package disposable recognizes the domains of disposable email addresses.
//
// The list is that of https://github.com/disposable-email-domains/disposable-email-domains, sorted. domains.txt is a
// copy of disposable_email_blocklist.conf of 9 November 2026.
package disposable

import (
	_ "embed"
	"strings"
)

//go:embed domains.txt
var domains string

// Domain reports whether a domain, or one of its parent domains, is on the list. It ignores letter case.
func Domain(domain string) bool {
	domain = strings.ToLower(domain)
	for domain != "" {
		if strings.Contains(domains, "\n"+domain+"\n") {
			return true
		}
		_, domain, _ = strings.Cut(domain, ".")
	}
	return false
}
