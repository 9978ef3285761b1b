package hook

import (
	"regexp"
	"slices"
	"strings"
)

// maxItems is the maximum number of items of a list, and of messages about a request.
const maxItems = 20

// One returns a single message.
func One(topic string, content Markdown) []Message {
	return []Message{{Topic: topic, Content: content}}
}

// Bound returns the first maxItems messages. If there are more, the last of them also counts the others.
func Bound(said []Message) []Message {
	if len(said) <= maxItems {
		return said
	}
	kept := slices.Clone(said[:maxItems])
	last := &kept[maxItems-1]
	last.Content = Format("%s\n\n… and %d more", last.Content, len(said)-maxItems)
	return kept
}

// Item returns an item of a list: a name in bold with its value. It is empty if the value is.
func Item(name string, value Markdown) Markdown {
	if value.Empty() {
		return value
	}
	return Format("**%s**: %s", name, value)
}

// List returns a list with a bullet for each item that isn't empty. If there are more than maxItems, it counts the others.
func List(items ...Markdown) Markdown {
	lines := []Markdown(nil)
	items = slices.DeleteFunc(slices.Clone(items), Markdown.Empty)
	for i, item := range items {
		if i == maxItems {
			lines = append(lines, Format("* … and %d more", len(items)-i))
			break
		}
		lines = append(lines, Format("* %s", item))
	}
	return Join("\n", lines...)
}

// Lines returns text of a third party with its line breaks. Like [Text], it has no Markdown, and it is cut to maxQuote
// characters. Several empty lines become one.
func Lines(written string) Markdown {
	lines, empty := []string(nil), false
	for line := range strings.SplitSeq(Cut(strings.TrimSpace(written), maxQuote), "\n") {
		shown := Text(line)
		if shown.Empty() {
			empty = len(lines) > 0
			continue
		}
		if empty {
			lines = append(lines, "")
		}
		lines, empty = append(lines, shown.text), false
	}
	return Markdown{strings.Join(lines, "\n")}
}

// Written returns text that is Markdown by the third party's contract: somebody of the organization wrote it for its
// messages, for example in a template. Mentions in it have no effect, as in all messages of integrations.
func Written(markdown string) Markdown {
	return Markdown{strings.TrimSpace(printable(strings.ReplaceAll(markdown, "\r\n", "\n")))}
}

// plainEmoji matches the names of emoji.
var plainEmoji = regexp.MustCompile(`^[-+_0-9A-Za-z]{1,60}$`)

// Emoji returns an emoji by its name, with or without colons around it; a name that can't be one is returned as text.
func Emoji(name string) Markdown {
	if bare := strings.Trim(name, ":"); plainEmoji.MatchString(bare) {
		return Markdown{":" + bare + ":"}
	}
	return Text(name)
}
