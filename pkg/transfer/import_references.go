package transfer

import (
	"strconv"
	"strings"
)

// uploadMark begins the path of an uploaded file in a text.
const uploadMark = "/user_uploads/"

// translated returns a text with this server's ids in mentions and this server's paths of files.
func (c *content) translated(text string) string {
	if !strings.Contains(text, uploadMark) && !strings.Contains(text, "|") {
		return text
	}
	out := strings.Builder{}
	for {
		at := strings.IndexAny(text, "*/") // what both begin with: searching for each would take quadratic time
		if at < 0 {
			out.WriteString(text)
			return out.String()
		}
		before, rest := text[:at], text[at:]
		out.WriteString(before)
		switch {
		case strings.HasPrefix(rest, uploadMark):
			text = c.translatedFile(&out, rest[len(uploadMark):])
		case strings.HasPrefix(rest, "**"):
			out.WriteString("**")
			if text = rest[2:]; strings.HasSuffix(before, "@") || strings.HasSuffix(before, "@_") {
				text = c.translatedMention(&out, text)
			}
		default:
			out.WriteByte(rest[0])
			text = rest[1:]
		}
	}
}

// translatedFile writes the path of an uploaded file, which text begins with, and returns what follows.
func (c *content) translatedFile(out *strings.Builder, text string) (rest string) {
	end := strings.IndexAny(text, " \t\r\n)]\"'<>|")
	if end < 0 {
		end = len(text)
	}
	path := text[:end]
	known, ok := c.uploads[path]
	if ok {
		path = known.path
	}
	if !ok || known.id != 0 {
		out.WriteString(uploadMark)
	}
	out.WriteString(path)
	return text[end:]
}

// maxMention is the maximum length of a mention in bytes, without its marks.
const maxMention = 200

// translatedMention writes the rest of a mention, if text begins with one, and returns what follows.
func (c *content) translatedMention(out *strings.Builder, text string) (rest string) {
	end := strings.Index(text[:min(len(text), maxMention+len("**"))], "**")
	if end < 0 {
		return text
	}
	name, number, ok := strings.Cut(text[:end], "|")
	if old, err := strconv.ParseInt(number, 10, 64); ok && err == nil && c.users[old] != 0 {
		name += "|" + c.users[old].String()
	} else {
		name = text[:end]
	}
	out.WriteString(name + "**")
	return text[end+2:]
}
