package hook

import (
	"strings"
	"unicode/utf8"

	"chatserver.dev/pkg/message"
)

// Marks in place of cut text.
const (
	topicMark = "..."
	cutMark   = "…"
)

// cutTopic returns a topic as one line, cut to the maximum length.
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

// maxFence is the maximum length of a fence of a code block. Content with a longer run of backticks has quotes in place of them:
// the fence would take the room of the content.
const maxFence = 100

// asCode returns content in a code block, cut to the maximum length. It can always be rendered: constructs such as
// emoji, whose HTML is a hundred times as large, have no meaning there.
func asCode(content string) string {
	fence := fenceFor(content, '`', 3)
	if len(fence) > maxFence {
		content = strings.ReplaceAll(content, "`", "'")
		fence = fenceFor(content, '`', 3)
	}
	return fence + "\n" + message.CutTo(content, message.MaxContent-2*len(fence)-2) + "\n" + fence
}
