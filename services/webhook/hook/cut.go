package hook

import (
	"strings"
	"unicode/utf8"

	"chatserver.dev/pkg/message"
)

// Marks in place of what was cut off.
const (
	topicMark = "..."
	cutMark   = "…"
)

// cutTopic returns a topic of one line that isn't too long.
func cutTopic(topic string) string {
	topic = Line(topic)
	if utf8.RuneCountInString(topic) <= message.MaxTopic {
		return topic
	}
	keep := message.MaxTopic - len(topicMark)
	for at := range topic {
		if keep == 0 {
			return topic[:at] + topicMark
		}
		keep--
	}
	return topic
}

// asCode returns content, as it was written, in a block of code. That can always be rendered: emoji and the
// like, which take a hundred times their size in HTML, have no meaning there.
func asCode(content string) string {
	fence := "```"
	for strings.Contains(content, fence) {
		fence += "`"
	}
	return fence + "\n" + content[:min(len(content), message.MaxContent-2*len(fence)-2)] + "\n" + fence
}
