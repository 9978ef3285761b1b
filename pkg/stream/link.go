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
	return "[`#" + unmarked(row.Name) + "`](" + markdown.StreamPath(row.StreamID, row.Name) + ")"
}

// Name returns Markdown that shows a stream's name, and nothing else that may be in it: a mention, say.
func Name(name string) string {
	if !strings.ContainsAny(name, "*`[]<>$~\\|:@#") && !strings.ContainsFunc(name, unicode.IsControl) {
		return "**" + name + "**"
	}
	return "`" + unmarked(name) + "`"
}

// unmarked is a name that can be shown as code: without what would end the code, and on one line.
func unmarked(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '`':
			return '\''
		case unicode.IsControl(r):
			return ' '
		default:
			return r
		}
	}, name)
}
