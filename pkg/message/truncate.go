package message

import (
	"strings"
	"unicode/utf8"
)

// CutTo cuts a text to at most size bytes, between two characters.
func CutTo(text string, size int) string {
	if len(text) <= size {
		return text
	}
	for size > 0 && !utf8.RuneStart(text[size]) {
		size--
	}
	return text[:size]
}

// Truncated is the end of truncated content.
const Truncated = "\n[message truncated]"

// CutContent truncates content to MaxContent. It ends with a whole line if the truncation loses less than half, and never
// within an HTML entity.
func CutContent(content string) string {
	if len(content) <= MaxContent {
		return content
	}
	content = CutTo(content, MaxContent-len(Truncated))
	end := len(content)
	if line := strings.LastIndexByte(content, '\n'); line > end/2 {
		content = content[:line]
	} else if start := strings.LastIndexByte(content, '&'); start >= end-len("&#124;") && !strings.Contains(content[start:], ";") {
		content = content[:start]
	}
	return content + Truncated
}
