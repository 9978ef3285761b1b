package lmtp

import (
	"regexp"
	"slices"
	"strings"

	"chatserver.dev/pkg/gateway"
)

// intro matches lines by which mail programs introduce a quotation.
var intro = regexp.MustCompile(`(?i)^\s*>*\s*(?:on\b.{5,200}\bwrote:|am\b.{5,200}\bschrieb\b.{0,200}:|le\b.{5,200}\ba écrit\s*:|-{2,}\s*(?:original message|forwarded message|ursprüngliche nachricht)\s*-{2,}|_{20,})\s*$`)

// fromPlain returns a text without quotations and footer, unless the options keep them.
func fromPlain(text string, o gateway.Options) string {
	lines := strings.Split(strings.TrimRight(text, " \t\n"), "\n")
	if !o.KeepQuotes {
		lines = withoutQuotes(lines)
	}
	if !o.KeepFooter {
		lines = withoutFooter(lines)
	}
	return strings.Join(lines, "\n")
}

// withoutQuotes cuts what follows the line that introduces a quotation, and quoted lines at the end. An introduction
// may take two lines. If the text has nothing else, nothing is cut.
func withoutQuotes(lines []string) []string {
	kept := lines
	for i, line := range lines {
		if intro.MatchString(line) || i+1 < len(lines) && !strings.HasPrefix(line, ">") && intro.MatchString(line+" "+lines[i+1]) {
			kept = lines[:i]
			break
		}
	}
	for len(kept) > 0 {
		last := strings.TrimSpace(kept[len(kept)-1])
		if last != "" && !strings.HasPrefix(last, ">") {
			return kept
		}
		kept = kept[:len(kept)-1]
	}
	return lines
}

// withoutFooter cuts the signature, which begins with a line of two dashes. If there are several such lines, no text
// before it, or a quotation below it, nothing is cut.
func withoutFooter(lines []string) []string {
	at := -1
	for i, line := range lines {
		if strings.TrimSpace(line) != "--" {
			continue
		}
		if at >= 0 {
			return lines
		}
		at = i
	}
	if at <= 0 || strings.TrimSpace(strings.Join(lines[:at], "")) == "" || slices.ContainsFunc(lines[at:], intro.MatchString) {
		return lines
	}
	return lines[:at]
}
