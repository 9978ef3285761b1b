package slackincoming

import (
	"strings"

	"chatserver.dev/pkg/message"
	"chatserver.dev/services/webhook/hook"
)

// maxParts is the maximum number of blocks, of attachments, and of fields or elements in each, that are shown.
const maxParts = 20

// report returns the message; none: it has nothing to say.
func report(said hook.Document) []hook.Message {
	head := hook.Join("\n\n", blocks(said)...)
	if head.Empty() { // beside blocks, the text is that of notifications
		head = mrkdwn(said.Text("text"))
		if icon := said.Text("icon_emoji"); icon != "" && !head.Empty() {
			head = hook.Format("%s %s", hook.Emoji(icon), head)
		}
	}
	attached := hook.Join("\n\n", all(said.List("attachments"), attachment)...)
	content := hook.Join("\n\n", head, attached)
	if content.Empty() {
		return nil
	}
	return hook.One(strings.TrimLeft(said.Text("channel"), "@#"), content)
}

// first returns the items that are shown.
func first(items []hook.Document) []hook.Document { return items[:min(len(items), maxParts)] }

// all returns the text of each item, until a message is full, and the number of the others.
func all(items []hook.Document, text func(hook.Document) hook.Markdown) []hook.Markdown {
	parts, size := []hook.Markdown(nil), 0
	for i, item := range items {
		if i == maxParts || size > message.MaxContent {
			return append(parts, hook.Format("… and %d more", len(items)-i))
		}
		part := text(item)
		parts, size = append(parts, part), size+len(part.String())
	}
	return parts
}

// blocks returns the text of each block of a message or an attachment.
func blocks(of hook.Document) []hook.Markdown { return all(of.List("blocks"), block) }

func block(b hook.Document) hook.Markdown {
	switch b.Text("type") {
	case "header":
		return strong(hook.Text(b.Text("text.text")))
	case "section":
		return section(b)
	case "context":
		elements := []hook.Markdown(nil)
		for _, e := range first(b.List("elements")) {
			elements = append(elements, element(e))
		}
		return hook.Join(" ", elements...)
	case "image":
		return image(b, "title.text", "alt_text")
	case "video":
		return hook.Link(b.Or("title.text", "alt_text"), b.Or("title_url", "video_url"))
	case "markdown":
		return hook.Written(hook.Cut(b.Text("text"), maxText))
	case "actions":
		buttons := []hook.Markdown(nil)
		for _, e := range first(b.List("elements")) {
			if hook.IsPage(e.Text("url")) { // other buttons work only in Slack
				buttons = append(buttons, hook.Link(e.Text("text.text"), e.Text("url")))
			}
		}
		return hook.Join(" · ", buttons...)
	case "rich_text":
		return richText(b)
	case "table":
		return table(b)
	default:
		return hook.Markdown{}
	}
}

func section(b hook.Document) hook.Markdown {
	parts := []hook.Markdown{text(b.At("text"))}
	for _, f := range first(b.List("fields")) {
		parts = append(parts, text(f))
	}
	parts = append(parts, element(b.At("accessory")))
	return hook.Join("\n\n", parts...)
}

// element returns the text of a part of a block: an image, a button that leads to a page, or text.
func element(e hook.Document) hook.Markdown {
	switch e.Text("type") {
	case "image":
		return image(e, "alt_text")
	case "button":
		if hook.IsPage(e.Text("url")) {
			return hook.Link(e.Text("text.text"), e.Text("url"))
		}
		return hook.Markdown{}
	default:
		return text(e)
	}
}

// text returns the text of an object that says whether it has Slack's markup.
func text(of hook.Document) hook.Markdown {
	if of.Text("type") == "plain_text" {
		return hook.Lines(of.Text("text"))
	}
	return mrkdwn(of.Text("text"))
}

// image returns a link to a picture, named by the first of some members.
func image(of hook.Document, names ...string) hook.Markdown {
	address := of.Or("image_url", "slack_file.url")
	if !hook.IsPage(address) {
		return hook.Markdown{}
	}
	return hook.Link(of.Or(names...), address)
}

func strong(shown hook.Markdown) hook.Markdown {
	if shown.Empty() {
		return shown
	}
	return hook.Format("**%s**", shown)
}

func attachment(a hook.Document) hook.Markdown {
	parts := []hook.Markdown{mrkdwn(a.Text("pretext"))}
	if name := a.Text("author_name"); name != "" {
		parts = append(parts, hook.Link(name, a.Text("author_link")))
	}
	head := hook.Markdown{}
	if a.Text("title") != "" || hook.IsPage(a.Text("title_link")) {
		head = hook.Link(a.Text("title"), a.Text("title_link"))
	}
	parts = append(parts, hook.Join("\n", head, mrkdwn(a.Text("text"))))
	fields := []hook.Markdown(nil)
	for _, f := range first(a.List("fields")) {
		fields = append(fields, hook.Join(": ", strong(hook.Text(f.Text("title"))), mrkdwn(f.Text("value"))))
	}
	parts = append(parts, hook.Join("\n", fields...))
	parts = append(parts, blocks(a)...)
	if address := a.Text("image_url"); hook.IsPage(address) {
		parts = append(parts, hook.Link("image", address))
	}
	parts = append(parts, hook.Text(hook.Cut(a.Text("footer"), maxFooter)))
	if content := hook.Join("\n\n", parts...); !content.Empty() {
		return content
	}
	return mrkdwn(a.Text("fallback"))
}

// maxFooter is the maximum length of the small text below an attachment, in characters.
const maxFooter = 300

// richText returns the text of a block that Slack's own editor makes.
func richText(b hook.Document) hook.Markdown {
	parts := []hook.Markdown(nil)
	for _, e := range first(b.List("elements")) {
		switch e.Text("type") {
		case "rich_text_list":
			items := []hook.Markdown(nil)
			for _, item := range e.List("elements") {
				if shown := words(item); !shown.Empty() {
					items = append(items, hook.Format("%s", shown))
				}
			}
			parts = append(parts, hook.List(items...))
		case "rich_text_preformatted":
			parts = append(parts, hook.CodeBlock("", plain(e)))
		case "rich_text_quote":
			parts = append(parts, quoted(words(e)))
		default:
			parts = append(parts, words(e))
		}
	}
	return hook.Join("\n\n", parts...)
}

// table returns the rows of a table.
func table(b hook.Document) hook.Markdown {
	rows := [][]hook.Markdown(nil)
	for _, row := range b.List("rows") {
		cells := []hook.Markdown(nil)
		for _, c := range row.List("") {
			if c.Text("type") == "rich_text" {
				cells = append(cells, richText(c))
			} else {
				cells = append(cells, hook.Text(hook.Cut(c.Text("text"), maxText)))
			}
		}
		if len(cells) > 0 {
			rows = append(rows, cells)
		}
	}
	return hook.Table(rows...)
}

// plain returns the text of all elements.
func plain(e hook.Document) string {
	all := strings.Builder{}
	for _, word := range e.List("elements") {
		all.WriteString(word.Or("text", "url"))
	}
	return all.String()
}

// maxWords is the maximum number of pieces of a line with styles.
const maxWords = 200

// words returns a line with styles, links and emoji.
func words(e hook.Document) hook.Markdown {
	line := hook.Markdown{}
	pieces := e.List("elements")
	for _, p := range pieces[:min(len(pieces), maxWords)] {
		var shown hook.Markdown
		switch p.Text("type") {
		case "link":
			shown = hook.Link(p.Or("text", "url"), p.Text("url"))
		case "emoji":
			shown = hook.Emoji(p.Text("name"))
		case "user", "usergroup", "broadcast":
			shown = hook.Format("@%s", p.Or("user_id", "usergroup_id", "range"))
		case "channel":
			shown = hook.Format("#%s", p.Text("channel_id"))
		default:
			shown = styled(p)
		}
		line = hook.Format("%s%s", line, shown)
	}
	return line
}

// styled returns a piece of text in its style.
func styled(p hook.Document) hook.Markdown {
	said := hook.Cut(p.Text("text"), maxText)
	inner := hook.Text(said)
	switch {
	case inner.Empty():
		return spaced(said)
	case p.True("style.code"):
		return hook.Code(said)
	case p.True("style.bold"), p.True("style.italic"):
		inner = hook.Format("**%s**", inner)
	case p.True("style.strike"):
		inner = hook.Format("~~%s~~", inner)
	}
	return hook.Format("%s%s%s", before(said), inner, after(said)) // the blanks are outside of the marks
}
