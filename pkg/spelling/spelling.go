// Package spelling brings names of streams, topics, groups and people into the form in which they are stored and compared, so that names
// that look the same are the same, whatever keyboard or file system they come from.
package spelling

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Clean returns a name without white space around it, in the form of [Compose].
func Clean(typed string) string { return strings.TrimSpace(Compose(typed)) }

// Compose returns a text with composed letters (Unicode's NFC): é is one character, not an e and an accent.
func Compose(typed string) string { return norm.NFC.String(typed) }
