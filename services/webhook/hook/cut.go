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

// cutContent is [message.CutContent], which may cut [Code] in two. Then it ends the first half, whose text would be Markdown otherwise.
func cutContent(content string) string {
	cut := message.CutContent(content)
	if len(cut) == len(content) {
		return content
	}
	kept := strings.TrimSuffix(cut, message.Truncated)
	line := strings.LastIndexByte(kept, '\n') + 1
	fence, at := openCode(kept[line:])
	if fence == "" {
		return cut
	}
	code := line + at + len(fence)
	kept = strings.TrimRight(message.CutTo(kept, len(kept)-len(fence)), "`")
	if len(kept) <= code { // there is no room for any of it
		return kept[:min(len(kept), line+at)] + message.Truncated
	}
	return kept + fence + message.Truncated
}

// openCode returns the fence of the code that a line doesn't end, and where it is; empty: there is none.
func openCode(line string) (fence string, at int) {
	for i := 0; i < len(line); {
		run := line[i : len(line)-len(strings.TrimLeft(line[i:], "`"))]
		switch {
		case run == "":
			i++
			continue
		case fence == "":
			fence, at = run, i
		case run == fence:
			fence = ""
		}
		i += len(run)
	}
	return fence, at
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
