package stream

import (
	"strings"
	"unicode"

	"chatserver.dev/pkg/markdown"
	"chatserver.dev/pkg/store/sqlc"
)

// Link returns Markdown that links to a stream. Names may hold any characters, so that of a name which the
// short form can't express, or which would be more than a name in it, is shown as code.
func Link(row sqlc.Stream) string {
	// Messages look names up by strings.ToLower, the database by its own lower.
	found := strings.ToLower(row.Name) == row.NameKey
	if found && !strings.ContainsAny(row.Name, `*>\`) && !strings.ContainsFunc(row.Name, unicode.IsControl) {
		return "#**" + row.Name + "**"
	}
	label := strings.Map(func(r rune) rune {
		switch {
		case r == '`':
			return '\'' // it would end the code
		case unicode.IsControl(r):
			return ' '
		default:
			return r
		}
	}, row.Name)
	return "[`#" + label + "`](" + markdown.StreamPath(row.StreamID, row.Name) + ")"
}
