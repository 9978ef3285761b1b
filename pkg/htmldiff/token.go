package htmldiff

import (
	"fmt"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// token is a part of a text: a word, an element that is shown as a word, or the beginning of an element.
type token struct {
	key   int          // equal if the tokens count as equal
	path  []*html.Node // the elements around it, outermost first
	html  string       // of a word; "": a place, that is, an element's beginning or a position in an empty element
	begin *html.Node   // the element that begins, or nil
	space string       // the white space between it and the next token
}

// key identifies tokens that count as equal.
type key struct {
	around int    // the key of the innermost element around it, 0: none
	text   string // a word, or an element's tag
	begin  bool
}

// reader splits texts into tokens. Both texts of a comparison have the same reader, which numbers the keys.
type reader struct {
	keys   map[key]int
	tokens []token
	path   []*html.Node
	around []int // keys of the elements of path
	pre    int   // number of them that preserve white space
}

func (r *reader) number(k key) int {
	n, ok := r.keys[k]
	if !ok {
		n = len(r.keys) + 1
		r.keys[k] = n
	}
	return n
}

// read returns the tokens of a text.
func (r *reader) read(text string) ([]token, error) {
	body := &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body}
	nodes, err := html.ParseFragment(strings.NewReader(text), body)
	if err != nil {
		return nil, fmt.Errorf("parse HTML: %w", err)
	}
	r.tokens = nil
	for _, n := range nodes {
		r.node(n)
	}
	return r.tokens, nil
}

func (r *reader) node(n *html.Node) {
	switch {
	case n.Type == html.TextNode && r.pre > 0:
		r.preformatted(n.Data)
	case n.Type == html.TextNode:
		r.words(n.Data)
	case n.Type != html.ElementNode: // a comment
	case void(n):
		r.leaf(startTag(n))
	case opaque(n):
		whole := strings.Builder{}
		if html.Render(&whole, n) == nil {
			r.leaf(whole.String())
		}
	default:
		r.element(n)
	}
}

func (r *reader) innermost() int {
	if len(r.around) == 0 {
		return 0
	}
	return r.around[len(r.around)-1]
}

func (r *reader) leaf(shown string) {
	r.tokens = append(r.tokens, token{key: r.number(key{around: r.innermost(), text: shown}), path: r.here(), html: shown})
}

// here returns the path to the reader's position. Callers must not change it.
func (r *reader) here() []*html.Node { return r.path[:len(r.path):len(r.path)] }

func (r *reader) element(n *html.Node) {
	own := r.number(key{around: r.innermost(), text: startTag(n), begin: true})
	r.tokens = append(r.tokens, token{key: own, path: r.here(), begin: n})
	outer := r.path
	r.path, r.around = append(r.here(), n), append(r.around, own)
	if n.DataAtom == atom.Pre {
		r.pre++
	}
	if n.FirstChild == nil {
		r.leaf("")
	}
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		r.node(child)
	}
	if n.DataAtom == atom.Pre {
		r.pre--
	}
	r.path, r.around = outer, r.around[:len(r.around)-1]
}

// blanks are the characters that separate words. A no-break space doesn't.
const blanks = " \t\n\f\r"

// words reads a text node. It replaces any white space with one blank.
func (r *reader) words(text string) {
	if text != strings.TrimLeft(text, blanks) {
		r.blank(" ")
	}
	for word := range strings.FieldsFuncSeq(text, func(c rune) bool { return strings.ContainsRune(blanks, c) }) {
		r.leaf(html.EscapeString(word))
		r.blank(" ")
	}
	if n := len(r.tokens); n > 0 && text == strings.TrimRight(text, blanks) {
		r.tokens[n-1].space = ""
	}
}

// preformatted reads a text node with significant white space.
func (r *reader) preformatted(text string) {
	for text != "" {
		word := text[:len(text)-len(strings.TrimLeft(text, blanks))]
		if word != "" {
			r.blank(word)
			text = text[len(word):]
			continue
		}
		end := strings.IndexAny(text, blanks)
		if end < 0 {
			end = len(text)
		}
		r.leaf(html.EscapeString(text[:end]))
		text = text[end:]
	}
}

// blank appends white space to the token that was read last. At the beginning of a text, or of preformatted text, it
// appends the white space to a new place.
func (r *reader) blank(space string) {
	if n := len(r.tokens); n > 0 && r.tokens[n-1].begin == nil {
		if r.pre == 0 {
			r.tokens[n-1].space = " "
		} else {
			r.tokens[n-1].space += space
		}
		return
	}
	if r.pre > 0 {
		r.leaf("")
		r.tokens[len(r.tokens)-1].space = strings.TrimLeft(space, "\n")
	}
}

// opaque reports whether an element counts as one word, as formulas do, whose content isn't HTML.
func opaque(n *html.Node) bool {
	if n.Namespace != "" {
		return true
	}
	for _, a := range n.Attr {
		if a.Key == "class" && a.Val == "katex" {
			return true
		}
	}
	return false
}

// void reports whether an element has no end tag.
func void(n *html.Node) bool {
	switch n.Data {
	case "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr":
		return true
	}
	return false
}

func startTag(n *html.Node) string {
	return html.Token{Type: html.StartTagToken, Data: n.Data, Attr: n.Attr}.String()
}
