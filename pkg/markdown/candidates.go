package markdown

import (
	"strconv"
	"strings"

	"chatserver.dev/pkg/id"
)

// Candidates are the names that rendering a text may need, each once. They are
// all names between marks, whether or not they exist.
type Candidates struct {
	// Users are lower-cased full names.
	Users []string
	// UserIDs are the IDs in mentions such as `@**Ann|12**`.
	UserIDs []id.User
	// Groups are names of user groups.
	Groups []string
	// Streams are names of streams.
	Streams []string
	// Emoji are names between colons. The caller only looks up custom emoji.
	Emoji []string
}

// Empty reports whether there is nothing to look up.
func (c Candidates) Empty() bool {
	return len(c.Users)+len(c.UserIDs)+len(c.Groups)+len(c.Streams)+len(c.Emoji) == 0
}

// FindCandidates returns the names that rendering a text may need, so that they can be looked up
// beforehand. It is very fast for a text without the signs `@`, `#` and `:`. A text can
// have thousands of candidates.
func FindCandidates(source string) Candidates {
	var c Candidates
	if !strings.ContainsAny(source, "@#:") {
		return c
	}
	source = clean(source)
	seen := map[string]bool{}
	for i := range len(source) {
		switch source[i] {
		case '@':
			c.addMention(readMention(source[i:]), seen)
		case '#':
			if l := readStreamLink(source[i:]); l.size > 0 {
				add(&c.Streams, "#"+l.whole, seen)
				add(&c.Streams, "#"+l.stream, seen)
			}
		case ':':
			if name := readEmojiName(source[i:]); name != "" {
				add(&c.Emoji, ":"+name, seen)
			}
		}
	}
	return c
}

func (c *Candidates) addMention(m mentionText, seen map[string]bool) {
	switch {
	case m.size == 0:
	case m.group:
		add(&c.Groups, "*"+m.name, seen)
	case wildcard(m.typed):
	default:
		add(&c.Users, "@"+strings.ToLower(m.typed), seen)
		if key := "|" + strconv.FormatInt(int64(m.id), 10); m.id != 0 && !seen[key] {
			seen[key] = true
			c.UserIDs = append(c.UserIDs, m.id)
		}
	}
}

// add appends key without its first byte, the sign of its kind, unless it has been added before.
func add(list *[]string, key string, seen map[string]bool) {
	if name := key[1:]; name != "" && !seen[key] {
		seen[key] = true
		*list = append(*list, name)
	}
}
