package slack

import (
	"strings"
)

// attached is what a bot adds to a message, as Markdown.
func (m *messageRow) attached(in names) string {
	parts := []string(nil)
	for _, a := range m.Attachments {
		parts = append(parts, a.content(in))
	}
	return joined(parts...)
}

// body is a message's own text: blocks of other kinds than people's have precedence, as they have in Slack.
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

// blocksText is the text of blocks; empty: they are people's, which have it elsewhere, or have none.
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

// content is an attachment as a quote; empty: it only shows what a link in the message leads to.
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

// bold is a line in bold; an empty one stays so.
func bold(line string) string {
	line = strings.Join(strings.Fields(strings.ReplaceAll(line, "*", "")), " ")
	if line == "" {
		return ""
	}
	return "**" + line + "**"
}

// joined is texts one below the other, without those that are empty.
func joined(parts ...string) string {
	kept := []string(nil)
	for _, part := range parts {
		if part = strings.Trim(part, "\n"); strings.TrimSpace(part) != "" {
			kept = append(kept, part)
		}
	}
	return strings.Join(kept, "\n")
}
