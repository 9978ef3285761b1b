package hook

import (
	"strings"
	"unicode/utf8"

	"chatserver.dev/pkg/message"
)

// What stands for what was cut off.
const (
	topicMark   = "..."
	contentMark = "\n[message truncated]"
)

// cutTopic gives a topic that isn't too long.
func cutTopic(topic string) string {
	topic = strings.TrimSpace(topic)
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

// cutContent gives content that isn't too long.
func cutContent(content string) string {
	if len(content) <= message.MaxContent {
		return content
	}
	end := message.MaxContent - len(contentMark)
	for !utf8.RuneStart(content[end]) {
		end--
	}
	return content[:end] + contentMark
}
