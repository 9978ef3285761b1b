package stream

import (
	"strings"
	"unicode"

	"chatserver.dev/pkg/markdown"
	"chatserver.dev/pkg/store/sqlc"
)

// Link returns Markdown that links to a stream. It shows a name as code if the short form can't express it or would
// interpret it as markup, since names may contain any characters.
func Link(row sqlc.Stream) string {
	// Rendering finds names by strings.ToLower, the database by its own lower.
	found := strings.ToLower(row.Name) == row.NameKey
	if found && !strings.ContainsAny(row.Name, `*>\`) && !strings.ContainsFunc(row.Name, unicode.IsControl) {
		return "#**" + row.Name + "**"
	}
	return "[`#" + unmarked(row.Name) + "`](" + markdown.StreamPath(row.StreamID, row.Name) + ")"
}

// Name returns Markdown that shows a stream's name literally, without interpreting a mention in it, for example.
func Name(name string) string {
	if !strings.ContainsAny(name, "*`[]<>$~\\|:@#") && !strings.ContainsFunc(name, unicode.IsControl) {
		return "**" + name + "**"
	}
	return "`" + unmarked(name) + "`"
}

// unmarked returns a name that can be shown as code: without backquotes, and on one line.
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
