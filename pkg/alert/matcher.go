package alert

import (
	"slices"
	"strings"

	"chatserver.dev/pkg/id"
)

// The characters that may precede and follow a word in a text, besides its ends (events.md, section 4.3).
const (
	before = " \n(\".,';[*>`"
	after  = " \n)?:.,';]!*`"
)

// Matcher finds the alert words of an organization in texts. It is safe for concurrent use. The nil
// Matcher has no words.
//
// Words and texts are divided after every character that may follow a word: "on call" is "on ",
// "call". So words are paths in a tree of such pieces, and a text is looked up from each position where a
// word may begin. The time depends on the text only, not on the number of words.
type Matcher struct {
	root    node
	longest int // piece of a word, in bytes
	pieces  int // in all words
}

type node struct {
	next map[string]*node   // by a piece with the character that ends it
	ends map[string]*owners // by the last piece of a word
}

// owners are the users with a word.
type owners struct{ users []id.User }

// NewMatcher returns a matcher for words by their users. It ignores case.
func NewMatcher(words map[id.User][]string) *Matcher {
	m := &Matcher{}
	for user, list := range words {
		for _, word := range list {
			m.add(strings.ToLower(word), user)
		}
	}
	return m
}

func (m *Matcher) add(word string, user id.User) {
	if word == "" {
		return
	}
	n := &m.root
	for {
		end := strings.IndexAny(word, after)
		if end < 0 {
			break
		}
		piece := word[:end+1]
		m.pieces++
		m.longest = max(m.longest, end)
		if n.next[piece] == nil {
			if n.next == nil {
				n.next = map[string]*node{}
			}
			n.next[piece] = &node{}
		}
		n, word = n.next[piece], word[end+1:]
	}
	m.pieces++
	m.longest = max(m.longest, len(word))
	if n.ends == nil {
		n.ends = map[string]*owners{}
	}
	if n.ends[word] == nil {
		n.ends[word] = &owners{}
	}
	n.ends[word].users = append(n.ends[word].users, user)
}

// Find returns the users with a word in content, a message's source, ascending.
func (m *Matcher) Find(content string) []id.User {
	if m == nil || m.pieces == 0 {
		return nil
	}
	content = strings.ToLower(content)
	found := map[*owners]bool{}
	for at := range len(content) {
		if at == 0 || strings.IndexByte(before, content[at-1]) >= 0 {
			m.from(content[at:], found)
		}
	}
	users := []id.User(nil)
	for word := range found {
		users = append(users, word.users...)
	}
	slices.Sort(users)
	return slices.Compact(users)
}

// from adds the words that text begins with to found.
func (m *Matcher) from(text string, found map[*owners]bool) {
	n := &m.root
	for n != nil {
		end := strings.IndexAny(text[:min(len(text), m.longest+1)], after)
		switch {
		case end >= 0:
		case len(text) <= m.longest:
			end = len(text)
		default:
			return // no word has such a long piece
		}
		if word := n.ends[text[:end]]; word != nil {
			found[word] = true
		}
		if end == len(text) {
			return
		}
		n, text = n.next[text[:end+1]], text[end+1:]
	}
}

// size returns the approximate memory of the words, in units of about 100 bytes.
func (m *Matcher) size() int { return 1 + m.pieces }
