package markdown

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
)

// ErrLinkifier says that a linkifier's pattern or URL can't be used.
var ErrLinkifier = errors.New("invalid linkifier")

const (
	// maxSearch is the maximum cost of searching one text for matches of linkifiers, in instructions of their programs times
	// bytes: about a tenth of a second. 50 usual linkifiers don't reach it in the longest message. Beyond it, matches are text.
	maxSearch = 6_000_000
	// maxQuickSearch is the same for texts of which any number is rendered concurrently.
	maxQuickSearch = 1_000_000
)

// Linkifier makes matches of a pattern links (rest-api.md, sections 5.7 and 7.7). It is
// safe for concurrent use; compile it once.
type Linkifier struct {
	pattern *regexp.Regexp
	prefix  string // literal prefix of each match; often empty
	cost    int    // per byte: instructions of the pattern's program
	parts   []urlPart
}

// urlPart is a literal, or a group of the pattern whose text is inserted.
type urlPart struct {
	literal string
	group   int
}

var placeholder = regexp.MustCompile(`%\(([a-zA-Z0-9_-]+)\)s`)

// NewLinkifier compiles a linkifier. The pattern is a regular expression with named groups. The
// URL contains them as `%(name)s`, and begins with http:// or https:// and a host. Otherwise it fails with
// [ErrLinkifier].
func NewLinkifier(pattern, urlFormat string) (*Linkifier, error) {
	alone, err := regexp.Compile(pattern) // so that it can't close the group below
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrLinkifier, err)
	}
	full, err := regexp.Compile(`[\s'"(,:<*~](` + pattern + `)(?:$|[^\pL\pN_])`)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrLinkifier, err)
	}
	l := &Linkifier{pattern: full, cost: instructions(pattern)}
	l.prefix, _ = alone.LiteralPrefix()
	done := 0
	for _, at := range placeholder.FindAllStringSubmatchIndex(urlFormat, -1) {
		name := urlFormat[at[2]:at[3]]
		group := full.SubexpIndex(name)
		if group < 0 {
			return nil, fmt.Errorf("%w: the pattern has no group %q", ErrLinkifier, name)
		}
		l.parts = append(l.parts, urlPart{literal: urlFormat[done:at[0]]}, urlPart{group: group})
		done = at[1]
	}
	l.parts = append(l.parts, urlPart{literal: urlFormat[done:]})
	scheme, rest, _ := splitScheme(l.parts[0].literal)
	if scheme != "http" && scheme != "https" || !allowed(scheme, rest) {
		return nil, fmt.Errorf("%w: the URL must begin with http:// or https:// and a host", ErrLinkifier)
	}
	return l, nil
}

// match is a range of text that a linkifier makes a link.
type match struct {
	start, end int
	url        string
}

// instructions returns the number of instructions in the program of a valid pattern.
func instructions(pattern string) int {
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return 1
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return 1
	}
	return len(program.Inst)
}

// find returns the matches in a text. A match follows the start, a blank or an opening sign, and no
// word character follows it. find subtracts the cost of its searches from left, and stops when the next one may cost more.
func (l *Linkifier) find(text string, left *int) []match {
	if !strings.Contains(text, l.prefix) {
		return nil
	}
	var found []match
	padded := "\n" + text // so that a blank precedes the start, too
	for from := 0; from < len(padded); {
		if l.cost*(len(padded)-from) > *left {
			break // each search may read the whole rest
		}
		rest := strings.NewReader(padded[from:]) // which knows how much has been read, even beyond the match
		at := l.pattern.FindReaderSubmatchIndex(rest)
		*left -= l.cost * (len(padded) - from - rest.Len())
		if at == nil {
			break
		}
		start, end := from+at[2], from+at[3]
		if end > start {
			found = append(found, match{start: start - 1, end: end - 1, url: l.url(padded[from:], at)})
		}
		from = max(end, start+1)
	}
	return found
}

// quick reports whether searching a text of the given length for all linkifiers costs little.
func quick(linkifiers []*Linkifier, length int) bool {
	cost := 0
	for _, l := range linkifiers {
		cost += l.cost * length
	}
	return cost <= maxQuickSearch
}

func (l *Linkifier) url(text string, at []int) string {
	var b strings.Builder
	for _, part := range l.parts {
		b.WriteString(part.literal)
		if part.group > 0 && at[2*part.group] >= 0 {
			b.WriteString(percentEncode(text[at[2*part.group]:at[2*part.group+1]]))
		}
	}
	return b.String()
}

// percentEncode encodes the characters that URLs can't contain.
func percentEncode(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c == 0x7f || c == '"' || c == '<' || c == '>' {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// findMatches returns the matches of all linkifiers by position, without overlaps. Of several at the same
// position, it returns that of the earlier linkifier.
func findMatches(text string, linkifiers []*Linkifier, left *int) []match {
	var all []match
	for _, l := range linkifiers {
		all = append(all, l.find(text, left)...)
	}
	slices.SortStableFunc(all, func(a, b match) int { return a.start - b.start })
	free := 0
	return slices.DeleteFunc(all, func(m match) bool {
		if m.start < free {
			return true
		}
		free = m.end
		return false
	})
}

// linkify writes the match that begins at i.
func (s *scanner) linkify(i int) int {
	for len(s.matches) > 0 && s.matches[0].start < i {
		s.matches = s.matches[1:]
	}
	if s.inLink || len(s.matches) == 0 || s.matches[0].start != i || s.matches[0].end > s.end {
		return 0
	}
	m := s.matches[0]
	return s.anchor(i, m.end, link{href: s.p.relative(m.url), text: s.text[i:m.end]})
}

// Topics finds the URLs in topics. It isn't safe for concurrent use.
type Topics struct {
	linkifiers []*Linkifier
	left       int // rest of maxSearch
	known      map[string][]string
}

// NewTopics returns a Topics for messages that are read or sent together, which share the limit on its searches.
func NewTopics(linkifiers []*Linkifier) *Topics {
	return &Topics{linkifiers: linkifiers, left: maxSearch, known: map[string][]string{}}
}

// Links returns the URLs in a topic, first those of linkifiers, then typed ones
// (`topic_links`, rest-api.md, section 2.1). URLs without a scheme get https. The result is never nil, and the caller
// must not change it.
func (t *Topics) Links(topic string) []string {
	urls, ok := t.known[topic]
	if !ok {
		urls = []string{}
		for _, m := range findMatches(topic, t.linkifiers, &t.left) {
			urls = append(urls, m.url)
		}
		urls = append(urls, typedLinks(topic)...)
		t.known[topic] = urls
	}
	return urls
}

// typedLinks returns the URLs that are typed in a topic.
func typedLinks(topic string) (urls []string) {
	for word := range strings.FieldsSeq(topic) {
		word = strings.TrimLeft(word, `'"(,:<`)
		end := 0
		for end < len(word) && urlByte(word[end]) {
			end++
		}
		word = word[:urlLength(word[:end])]
		if scheme, rest, found := splitScheme(word); found && (scheme == "http" || scheme == "https") && allowed(scheme, rest) {
			urls = append(urls, word)
			continue
		}
		host := word
		if i := strings.IndexAny(word, "/?#:"); i >= 0 {
			host = word[:i]
		}
		if only(host, hostByte) && knownDomain(host) {
			urls = append(urls, "https://"+word)
		}
	}
	return urls
}
