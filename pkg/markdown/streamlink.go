package markdown

import (
	"strconv"
	"strings"

	"chatserver.dev/pkg/id"
)

// streamText is a link to a stream or topic as it is typed. The name of a stream may hold a `>`,
// so whole is another way to read it.
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
	p, next := s.p, i+l.size
	if stream, ok := p.in.Streams[l.stream]; ok && l.hasTopic {
		s.take(i, next)
		p.streamAnchor("stream-topic", stream, TopicPath(stream, l.stream, l.topic), l.stream+" > "+l.topic)
		return next
	}
	if stream, ok := p.in.Streams[l.whole]; ok {
		s.take(i, next)
		p.streamAnchor("stream", stream, StreamPath(stream, l.whole), l.whole)
		return next
	}
	return 0
}

func (p *page) streamAnchor(class string, stream id.Stream, path, label string) {
	p.write(`<a class="`, class, `" data-stream-id="`, strconv.FormatInt(int64(stream), 10), `" href="`, path, `">#`)
	p.verbatim(label)
	p.write("</a>")
}

// StreamPath returns the path of the page that shows a stream (rest-api.md, section 7.5).
func StreamPath(stream id.Stream, name string) string {
	return "/#narrow/stream/" + strconv.FormatInt(int64(stream), 10) + "-" + hashEncode(strings.ReplaceAll(name, " ", "-"))
}

// TopicPath returns the path of the page that shows a topic (rest-api.md, section 7.5).
func TopicPath(stream id.Stream, name, topic string) string {
	return StreamPath(stream, name) + "/topic/" + hashEncode(topic)
}

// hashEncode writes all bytes but letters, digits and a few signs as a dot and two hexadecimal
// digits.
func hashEncode(s string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; alphanumeric(c) || c == '_' || c == '-' || c == '~' {
			b.WriteByte(c)
		} else {
			b.WriteByte('.')
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		}
	}
	return b.String()
}
