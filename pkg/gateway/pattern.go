package gateway

import (
	"fmt"
	"net/mail"
	"strings"
)

// Pattern is the form of addresses for incoming mail: *@in.chat.example, or chat+*@chat.example, where * is a different text in
// each address. Empty: there is no incoming mail.
type Pattern string

// Enabled reports whether there is incoming mail.
func (p Pattern) Enabled() bool { return p != "" }

// Check fails if the pattern is invalid.
func (p Pattern) Check() error {
	if !p.Enabled() {
		return nil
	}
	before, after := p.around()
	sample := strings.Replace(string(p), "*", "x", 1)
	parsed, err := mail.ParseAddress(sample)
	switch {
	case err != nil || parsed.Name != "" || parsed.Address != sample || strings.Count(string(p), "*") != 1 || strings.Contains(before, "@"):
		return fmt.Errorf("MAIL_IN: %q is not a pattern such as *@in.chat.example or chat+*@chat.example", string(p))
	case room(before, after) < maxText:
		return fmt.Errorf("MAIL_IN: %q is too long for addresses that replace the *: at most %d bytes may be before the @", string(p), maxLocal-maxText)
	}
	return nil
}

// around returns the parts before and after the *.
func (p Pattern) around() (before, after string) {
	before, after, _ = strings.Cut(string(p), "*")
	return before, after
}

// maxLocal is the number of bytes before the @ that every mail server accepts (RFC 5321, section 4.5.3.1.1).
const maxLocal = 64

// room returns the maximum number of bytes that may replace the *.
func room(before, after string) int {
	local, _, _ := strings.Cut(after, "@")
	return maxLocal - len(before) - len(local)
}

// address returns the address with a text in place of the *, or "" if there is no incoming mail.
func (p Pattern) address(text string) string { return strings.Replace(string(p), "*", text, 1) }

// text returns the part of an address that replaces the *; ok is false if the address doesn't
// match.
func (p Pattern) text(address string) (text string, ok bool) {
	before, after := p.around()
	end := len(address) - len(after)
	if !p.Enabled() || end < len(before) || !strings.EqualFold(address[:len(before)], before) || !strings.EqualFold(address[end:], after) {
		return "", false
	}
	return address[len(before):end], true
}
