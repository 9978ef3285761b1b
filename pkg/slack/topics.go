package slack

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"chatserver.dev/pkg/message"
)

// mainTopic is the topic of what isn't in a thread.
const mainTopic = "imported from Slack"

// topics finds the topics of messages. A thread is its own topic, with the message that began it: it is called as that message
// begins, with a number if the channel has such a topic already. All else is in [mainTopic].
type topics struct {
	threads map[thread]string
	taken   map[topic]int // how many threads of a channel begin with the same words
}

type thread struct {
	place int
	ts    stamp
}

type topic struct {
	place int
	name  string // in lower case
}

func newTopics() *topics { return &topics{map[thread]string{}, map[topic]int{}} }

// of is the topic of a message in a channel.
func (t *topics) of(place int, m *messageRow, in names) string {
	if m.ThreadTS == 0 {
		return mainTopic
	}
	key := thread{place, m.ThreadTS}
	name, known := t.threads[key]
	if known {
		return name
	}
	if m.TS == m.ThreadTS {
		name = title(plain(m.Text[:min(len(m.Text), farthest)], in))
	}
	if name == "" { // it began with a file, or before the export
		name = "Thread of " + m.ThreadTS.time().Format(time.DateOnly)
	}
	name = t.free(place, name)
	t.threads[key] = name
	return name
}

// free is a name that no other topic of the channel has.
func (t *topics) free(place int, name string) string {
	for {
		key := topic{place, strings.ToLower(name)}
		t.taken[key]++
		n := t.taken[key]
		if n == 1 && !strings.EqualFold(name, mainTopic) {
			return name
		}
		name = shortened(name, " ("+strconv.Itoa(max(n, 2))+")")
	}
}

// title is the first line of a text as a topic.
func title(text string) string {
	text = strings.NewReplacer("*", "", "`", "", "~", "", "\x00", "").Replace(strings.ToValidUTF8(text, ""))
	for line := range strings.Lines(text) {
		if line = strings.Join(strings.Fields(strings.TrimLeft(line, "> ")), " "); line != "" {
			return shortened(line, "")
		}
	}
	return ""
}

// shortened is a name with an ending, as long as a topic may be.
func shortened(name, ending string) string {
	if utf8.RuneCountInString(name)+len(ending) <= message.MaxTopic {
		return name + ending
	}
	cut := []rune(name)[:message.MaxTopic-1-len(ending)]
	return strings.TrimSpace(string(cut)) + "…" + ending
}
