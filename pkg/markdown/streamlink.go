package markdown

import (
	"fmt"
	"strconv"
	"strings"

	"chatserver.dev/pkg/id"
)

// streamText is a link to a stream or topic as typed. Names of streams may contain `>`,
// so whole may also be the name of a stream.
type streamText struct {
	stream, topic, whole string
	hasTopic             bool
	size                 int
}

func readStreamLink(s string) streamText {
	whole, size := starred(s, "#**", "**")
	stream, topic, hasTopic := strings.Cut(whole, ">")
	return streamText{stream: stream, topic: topic, whole: whole, hasTopic: hasTopic && topic != "", size: size}
}

func (s *scanner) streamLink(i int) int {
	if s.inLink || !s.opens(i) {
		return 0
	}
	l := readStreamLink(s.text[i:s.end])
	if l.size == 0 {
		return 0
	}
	class, label := "stream-topic", l.stream+" > "+l.topic
	var path string
	stream, ok := s.p.in.Streams[l.stream]
	if ok && l.hasTopic {
		path = TopicPath(stream, l.stream, l.topic)
	} else if stream, ok = s.p.in.Streams[l.whole]; ok {
		class, path, label = "stream", StreamPath(stream, l.whole), l.whole
	} else {
		return 0
	}
	open := `<a class="` + class + `" data-stream-id="` + strconv.FormatInt(int64(stream), 10) + `" href="` + path + `">#`
	return s.element(i, i+l.size, open, label, "</a>")
}

// StreamPath returns the path of the page that shows a stream (rest-api.md, section 7.5).
func StreamPath(stream id.Stream, name string) string {
	return "/#narrow/stream/" + strconv.FormatInt(int64(stream), 10) + "-" + hashEncode(strings.ReplaceAll(name, " ", "-"))
}

// TopicPath returns the path of the page that shows a topic (rest-api.md, section 7.5).
func TopicPath(stream id.Stream, name, topic string) string {
	return StreamPath(stream, name) + "/topic/" + hashEncode(topic)
}

// hashEncode encodes all bytes except letters, digits and a few signs as a dot and two hexadecimal
// digits.
func hashEncode(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; alphanumeric(c) || c == '_' || c == '-' || c == '~' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, ".%02X", c)
		}
	}
	return b.String()
}
