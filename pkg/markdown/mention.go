package markdown

import (
	"slices"
	"strconv"
	"strings"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/spelling"
)

// maxName is the maximum length of a name between stars, in bytes. All valid names are shorter.
const maxName = 1000

// mentionText is a mention as it is typed.
type mentionText struct {
	name   string // without the ID
	id     id.User
	typed  string // with the ID
	silent bool
	group  bool
	size   int
}

// readMention reads the mention at the start of s; size is 0 if there is none.
func readMention(s string) mentionText {
	if strings.HasPrefix(s, "@*") && !strings.HasPrefix(s, "@**") {
		name, size := starred(s, "@*", "*")
		return mentionText{name: name, group: true, size: size}
	}
	m := mentionText{silent: strings.HasPrefix(s, "@_")}
	open := "@**"
	if m.silent {
		open = "@_**"
	}
	m.typed, m.size = starred(s, open, "**")
	m.name = m.typed
	if bar := strings.LastIndexByte(m.typed, '|'); bar >= 0 {
		if n, err := strconv.ParseInt(m.typed[bar+1:], 10, 64); err == nil && n > 0 {
			m.name, m.id = m.typed[:bar], id.User(n)
		}
	}
	return m
}

// starred reads a name between the marks open and closing, which have stars. In tables, a bar in the name has a backslash
// before it.
func starred(s, open, closing string) (name string, size int) {
	if !strings.HasPrefix(s, open) {
		return "", 0
	}
	rest := s[len(open):min(len(s), len(open)+maxName)]
	n := strings.IndexAny(rest, "*\n")
	if n <= 0 || !strings.HasPrefix(rest[n:], closing) {
		return "", 0
	}
	return spelling.Compose(strings.ReplaceAll(rest[:n], `\|`, "|")), len(open) + n + len(closing)
}

func (s *scanner) mention(i int) int {
	if s.inLink || s.p.in.NoMentions || !s.opens(i) {
		return 0
	}
	m := readMention(s.text[i:s.end])
	if m.size == 0 {
		return 0
	}
	next, silent := i+m.size, m.silent || s.p.quotes > 0
	switch {
	case m.group:
		return s.groupMention(i, next, m.name)
	case wildcard(m.typed) && !s.p.in.plain:
		s.p.result.Wildcard = s.p.result.Wildcard || !silent
		return s.userMention(i, next, "*", m.typed, silent)
	}
	user, ok := s.p.in.user(m)
	if !ok {
		return 0
	}
	if !silent {
		s.p.mention(user.ID)
	}
	return s.userMention(i, next, strconv.FormatInt(int64(user.ID), 10), user.Name, silent)
}

// mention adds a user to those mentioned.
func (p *page) mention(user id.User) {
	if p.mentioned[user] {
		return
	}
	if p.mentioned == nil {
		p.mentioned = map[id.User]bool{}
	}
	p.mentioned[user] = true
	p.result.MentionedUsers = append(p.result.MentionedUsers, user)
}

// user finds the mentioned user: the one with the mention's ID, if that user has the name, or else the one whose name
// is the whole text.
func (c *Context) user(m mentionText) (User, bool) {
	if m.id != 0 {
		if user, ok := c.UsersByID[m.id]; ok && strings.ToLower(user.Name) == strings.ToLower(m.name) { //nolint:staticcheck // like the keys of Users
			return user, true
		}
	}
	user, ok := c.Users[strings.ToLower(m.typed)]
	return user, ok
}

func wildcard(name string) bool {
	return name == "all" || name == "everyone" || name == "stream"
}

func (s *scanner) userMention(i, next int, userID, name string, silent bool) int {
	class, sign := "user-mention", "@"
	if silent {
		class, sign = "user-mention silent", ""
	}
	return s.element(i, next, `<span class="`+class+`" data-user-id="`+userID+`">`+sign, name, "</span>")
}

// groupMention writes the mention of a user group. It is never silent, not even in quotes.
func (s *scanner) groupMention(i, next int, name string) int {
	group, ok := s.p.in.Groups[name]
	if !ok {
		return 0
	}
	if !slices.Contains(s.p.result.MentionedGroups, group) {
		s.p.result.MentionedGroups = append(s.p.result.MentionedGroups, group)
	}
	return s.element(i, next, `<span class="user-group-mention" data-user-group-id="`+strconv.FormatInt(int64(group), 10)+`">@`, name, "</span>")
}
