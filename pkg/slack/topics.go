package slack

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"chatserver.dev/pkg/message"
)

// mainTopic is the topic of messages outside of threads.
const mainTopic = "imported from Slack"

// topics determines the topics of messages. Each thread, with its first message, is a topic. Its name is the
// beginning of that message, with a number if the channel already has a topic with this name. All other messages are
// in [mainTopic].
type topics struct {
	threads map[thread]string
	taken   map[topic]int // number of a channel's threads with the same name
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

// of returns the topic of a message in a channel.
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
	if name == "" { // it begins with a file, or before the export
		name = "Thread of " + m.ThreadTS.time().Format(time.DateOnly)
	}
	name = t.free(place, name)
	t.threads[key] = name
	return name
}

// free returns a name that no other topic of the channel has.
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

// title returns the first line of a text as a topic.
func title(text string) string {
	text = strings.NewReplacer("*", "", "`", "", "~", "", "\x00", "").Replace(strings.ToValidUTF8(text, ""))
	for line := range strings.Lines(text) {
		if line = strings.Join(strings.Fields(strings.TrimLeft(line, "> ")), " "); line != "" {
			return shortened(line, "")
		}
	}
	return ""
}

// shortened returns a name with an ending. It shortens the name to fit the maximum length of a topic.
func shortened(name, ending string) string {
	if utf8.RuneCountInString(name)+len(ending) <= message.MaxTopic {
		return name + ending
	}
	cut := []rune(name)[:message.MaxTopic-1-len(ending)]
	return strings.TrimSpace(string(cut)) + "…" + ending
}
