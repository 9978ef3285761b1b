package dispatch

import (
	"strings"

	"chatserver.dev/pkg/event"
)

// matches reports whether a message matches a queue's narrow (events.md, section 2.9).
func matches(narrow [][2]string, m event.MessageFacts, flags event.Flags) bool {
	for _, term := range narrow {
		if matched, _ := matchesTerm(term[0], term[1], m, flags); !matched {
			return false
		}
	}
	return true
}

// SupportsTerm reports whether the narrow of a queue can have such a term.
func SupportsTerm(operator, operand string) bool {
	_, supported := matchesTerm(operator, operand, event.MessageFacts{}, 0)
	return supported
}

// matchesTerm reports whether a message matches a term, and whether there are such terms.
func matchesTerm(operator, operand string, m event.MessageFacts, flags event.Flags) (matches, supported bool) {
	switch operator {
	case "stream":
		return m.Type == "stream" && strings.EqualFold(operand, m.Stream()), true
	case "topic":
		return m.Type == "stream" && strings.EqualFold(operand, m.Subject), true
	case "sender":
		return strings.EqualFold(operand, m.SenderEmail), true
	case "is":
		return matchesIs(operand, m, flags)
	}
	return false, false
}

// matchesIs is matchesTerm for the operator "is".
func matchesIs(operand string, m event.MessageFacts, flags event.Flags) (matches, supported bool) {
	switch operand {
	case "private":
		return m.Type == "private", true
	case "unread":
		return flags&event.Read == 0, true
	case "starred":
		return flags&event.Starred != 0, true
	case "mentioned":
		return flags&(event.Mentioned|event.WildcardMentioned) != 0, true
	case "alerted":
		return flags&(event.HasAlertWord|event.Mentioned) != 0, true
	}
	return false, false
}
