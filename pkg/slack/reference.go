package slack

import (
	"strings"
)

// reference is a reference in angle brackets.
type reference struct {
	sign   byte   // '@', '#' or '!'; 0: a link
	target string // an account, a channel, a word or an address
	label  string // the text to show, as in the message
}

// readReference parses the reference at the beginning of text. size is 0 if there is none.
func readReference(text string) (r reference, size int) {
	inside, ok := until(text[1:], '>')
	if !ok || inside == "" || strings.ContainsRune(inside, '\n') {
		return r, 0
	}
	size = len(inside) + 2
	r.target, r.label, _ = strings.Cut(inside, "|")
	r.label = unescape(r.label)
	if r.target != "" && strings.IndexByte("@#!", r.target[0]) >= 0 {
		r.sign, r.target = r.target[0], r.target[1:]
	}
	r.target = unescape(r.target)
	return r, size
}

// reference writes a mention or a link, and returns the length of the parsed text.
func (w *writer) reference(text string) int {
	r, size := readReference(text)
	if size == 0 {
		return 0
	}
	switch r.sign {
	case '@':
		if known := w.mention(r.target); known != "" {
			w.spaced(known)
			return size
		}
	case '#':
		if known := w.link(r.target); known != "" {
			w.spaced(known)
			return size
		}
	case '!':
		if word, _, _ := strings.Cut(r.target, "^"); word == "here" || word == "channel" || word == "everyone" || word == "group" {
			w.spaced("@**all**")
			return size
		}
	case 0:
		w.spaced(linkText(r.target, r.label))
		return size
	}
	w.out.WriteString(r.plain(w.names))
	return size
}

// plain returns a reference as plain text.
func (r reference) plain(in names) string {
	label := strings.TrimLeft(r.label, "@#")
	switch r.sign {
	case '@':
		if name := in.person(r.target); name != "" {
			label = name
		}
		return "@" + first(label, r.target)
	case '#':
		return "#" + first(label, strings.Trim(in.link(r.target), "#*"), r.target)
	case '!':
		word, _, _ := strings.Cut(r.target, "^")
		if word == "date" {
			return r.label
		}
		return "@" + first(label, word)
	}
	return first(r.label, strings.TrimPrefix(strings.TrimPrefix(r.target, "mailto:"), "tel:"))
}

// linkText returns a link as Markdown. An address that is neither a web nor a mail address becomes text.
func linkText(address, label string) string {
	if mailed, ok := strings.CutPrefix(address, "mailto:"); ok {
		return first(label, mailed)
	}
	if !isWeb(address) || strings.ContainsAny(address, " \t\"<>") {
		return first(label, strings.TrimPrefix(address, "tel:"))
	}
	if label == "" || label == address {
		return address
	}
	if _, host, _ := strings.Cut(address, "://"); label == host {
		return address
	}
	return "[" + strings.NewReplacer("[", "(", "]", ")", "\n", " ").Replace(label) + "](" + strings.NewReplacer("(", "%28", ")", "%29").Replace(address) + ")"
}

// isWeb reports whether an address is a web address.
func isWeb(address string) bool {
	return strings.HasPrefix(address, "http://") || strings.HasPrefix(address, "https://")
}

// plain returns a text without markup, with names in place of mentions.
func (w *writer) plain(text string) string { return plain(text, w.names) }

func plain(text string, in names) string {
	out := strings.Builder{}
	for {
		before, _, ok := strings.Cut(text, "<")
		out.WriteString(before)
		if !ok {
			return unescape(out.String())
		}
		text = text[len(before):]
		r, size := readReference(text)
		if size == 0 {
			out.WriteByte('<')
			size = 1
		} else {
			out.WriteString(strings.NewReplacer("&", "&amp;").Replace(r.plain(in)))
		}
		text = text[size:]
	}
}

// first returns the first text that isn't empty.
func first(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}
