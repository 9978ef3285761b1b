package slack

import (
	_ "embed" // for the table
	"strconv"
	"strings"
	"sync"

	"chatserver.dev/pkg/emoji"
)

//go:embed emoji.tsv
var emojiTable string

// emojiCodes returns code points by Slack's names.
//
//nolint:gochecknoglobals // a value that doesn't change
var emojiCodes = sync.OnceValue(func() map[string]string {
	codes := map[string]string{}
	for line := range strings.Lines(emojiTable) {
		code, names, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		for name := range strings.SplitSeq(names, ",") {
			codes[name] = code
		}
	}
	return codes
})

// emojiOf returns the code and the name of one of Slack's emoji, without its skin tone. ok is false if this server
// doesn't have it.
func emojiOf(slack string) (code, name string, ok bool) {
	slack, _, _ = strings.Cut(slack, "::")
	code, ok = emojiCodes()[slack]
	if !ok {
		return "", "", false
	}
	code = strings.ReplaceAll(code, "-fe0f", "")
	name, ok = emoji.Canonical(code)
	return code, name, ok
}

// reactionOf is [emojiOf] for reactions, which can't be any character: man-shrugging and woman-shrugging, which this server doesn't
// have, are shrug.
func reactionOf(slack string) (code, name string, ok bool) {
	if code, name, ok = emojiOf(slack); ok {
		return code, name, true
	}
	for _, sign := range []string{"-200d-2642", "-200d-2640"} {
		if person, cut := strings.CutSuffix(code, sign); cut {
			name, ok = emoji.Canonical(person)
			return person, name, ok
		}
	}
	return code, "", false
}

// emojiText returns one of Slack's emoji as text in a message: its name on this server, or a character. ok is false
// if Slack has no such emoji either.
func emojiText(slack string) (text string, ok bool) {
	if _, name, ok := emojiOf(slack); ok {
		return ":" + name + ":", true
	}
	slack, _, _ = strings.Cut(slack, "::")
	code, ok := emojiCodes()[slack]
	if !ok {
		return "", false
	}
	out := strings.Builder{}
	for point := range strings.SplitSeq(code, "-") {
		n, err := strconv.ParseInt(point, 16, 32)
		if err != nil {
			return "", false
		}
		out.WriteRune(rune(n))
	}
	return out.String(), true
}
