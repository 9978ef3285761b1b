// Package disposable knows domains of email addresses that are thrown away after use.
//
// The list is that of https://github.com/disposable-email-domains/disposable-email-domains, in the alphabetical order of its
// lines; domains.txt is a copy of disposable_email_blocklist.conf of 9 November 2026.
package disposable

import (
	_ "embed"
	"strings"
)

//go:embed domains.txt
var domains string

// Domain reports whether addresses of a domain, or of one that it is below, are thrown away after use. Letter case doesn't count.
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
