package slack

import (
	"strings"
)

// attached returns the attachments of a message as Markdown.
func (m *messageRow) attached(in names) string {
	parts := []string(nil)
	for _, a := range m.Attachments {
		parts = append(parts, a.content(in))
	}
	return joined(parts...)
}

// body returns the text of a message. As in Slack, blocks have precedence over the text, unless they are the blocks
// of a person's message.
func (m *messageRow) body(in names) string {
	if m.Comment != nil && m.Subtype == "file_comment" {
		return markdown(m.Comment.Comment, in)
	}
	if text := blocksText(m.Blocks, in); text != "" {
		return text
	}
	text := markdown(m.Text, in)
	if m.Subtype == "me_message" && text != "" {
		return "/me " + text
	}
	return text
}

// blocksText returns the text of blocks. It is empty if they have none, or are those of a person's message, which has
// its text elsewhere.
func blocksText(blocks []block, in names) string {
	parts := []string(nil)
	for _, b := range blocks {
		switch b.Type {
		case "header":
			parts = append(parts, bold(plain(string(b.Text), in)))
		case "section":
			parts = append(parts, markdown(string(b.Text), in))
			for _, f := range b.Fields {
				parts = append(parts, markdown(string(f.Text), in))
			}
		case "context":
			line := []string(nil)
			for _, e := range b.Elements {
				line = append(line, markdown(string(e.Text), in))
			}
			parts = append(parts, strings.TrimSpace(strings.Join(line, " ")))
		case "image":
			parts = append(parts, linkText(b.Image, b.Alt))
		}
	}
	return joined(parts...)
}

// content returns an attachment as a quotation. It is empty if the attachment only shows the target of a link in the
// message.
func (a attachment) content(in names) string {
	if a.FromURL != "" && !a.IsMessage {
		return ""
	}
	title := plain(a.Title, in)
	if title != "" && a.TitleLink != "" {
		title = linkText(a.TitleLink, title)
	} else {
		title = bold(title)
	}
	parts := []string{bold(plain(a.Author, in)), title, blocksText(a.Blocks, in)}
	if parts[2] == "" {
		parts[2] = markdown(a.Text, in)
	}
	for _, f := range a.Fields {
		parts = append(parts, strings.TrimSpace(bold(plain(f.Title, in))+" "+markdown(f.Value, in)))
	}
	if a.Image != "" {
		parts = append(parts, linkText(a.Image, ""))
	}
	inside, pretext := joined(parts...), markdown(a.Pretext, in)
	if inside == "" && pretext == "" {
		inside = markdown(a.Fallback, in)
	}
	if inside != "" {
		inside = "~~~ quote\n" + strings.ReplaceAll(inside, "~~~", "~ ~ ~") + "\n~~~"
	}
	return joined(pretext, inside)
}

// bold returns a line in bold, and an empty line unchanged.
func bold(line string) string {
	line = strings.Join(strings.Fields(strings.ReplaceAll(line, "*", "")), " ")
	if line == "" {
		return ""
	}
	return "**" + line + "**"
}

// joined joins texts with line feeds. It skips blank texts.
func joined(parts ...string) string {
	kept := []string(nil)
	for _, part := range parts {
		if part = strings.Trim(part, "\n"); strings.TrimSpace(part) != "" {
			kept = append(kept, part)
		}
	}
	return strings.Join(kept, "\n")
}
