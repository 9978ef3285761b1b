package htmldiff

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// The classes of changes (rest-api.md, section 2.11).
const (
	insertedClass = "highlight_text_inserted"
	deletedClass  = "highlight_text_deleted"
)

// Diff merges two rendered texts into one. Deleted and inserted text is in spans with the classes
// highlight_text_deleted and highlight_text_inserted, inserted text first. Outside of preformatted text, white space
// becomes a blank. Several top-level elements are wrapped in one div.
func Diff(before, after string) (string, error) {
	r := reader{keys: map[key]int{}}
	from, err := r.read(before)
	if err != nil {
		return "", err
	}
	to, err := r.read(after)
	if err != nil {
		return "", err
	}
	m := merger{counterparts: map[*html.Node][]*html.Node{}, opened: map[*html.Node]bool{}}
	steps := compare(from, to)
	m.relate(steps, from, to)
	for _, s := range steps {
		for _, t := range to[:s.inserted] {
			m.write(t, insertedClass, t.path)
		}
		for _, t := range from[:s.deleted] {
			m.write(t, deletedClass, m.place(t.path))
		}
		from, to = from[s.deleted:], to[s.inserted:]
		for i, t := range to[:s.kept] {
			if t.space == "" {
				t.space = from[i].space
			}
			m.write(t, "", t.path)
		}
		from, to = from[s.kept:], to[s.kept:]
	}
	return m.end(), nil
}

// merger writes the merged text.
type merger struct {
	out   strings.Builder
	stack []*html.Node // open elements
	class string       // of the open span; "": none
	last  string       // the class of the last word
	space string       // the white space before the next word
	tops  int          // number of top-level elements and of texts between them
	text  bool         // whether the last of them is a text

	// counterparts maps elements of the old text to the elements of the new text that replace them.
	counterparts map[*html.Node][]*html.Node
	opened       map[*html.Node]bool
}

// relate finds the counterparts: elements match if their beginnings, or words in them, are unchanged.
func (m *merger) relate(steps []step, from, to []token) {
	for _, s := range steps {
		from, to = from[s.deleted:], to[s.inserted:]
		for i := range s.kept {
			if from[i].begin != nil {
				m.same(from[i].begin, to[i].begin)
			}
			for depth, n := range from[i].path {
				m.same(n, to[i].path[depth])
			}
		}
		from, to = from[s.kept:], to[s.kept:]
	}
}

func (m *merger) same(old, now *html.Node) {
	if known := m.counterparts[old]; len(known) == 0 || known[len(known)-1] != now {
		m.counterparts[old] = append(known, now)
	}
}

// place returns where to write a token of the old text: into the counterparts of its elements, if these are open or
// still to come.
func (m *merger) place(path []*html.Node) []*html.Node {
	place := make([]*html.Node, len(path))
	for i, n := range path {
		place[i] = n
		became := m.counterparts[n]
		switch {
		case i < len(m.stack) && slices.Contains(became, m.stack[i]):
			place[i] = m.stack[i]
		case len(became) > 0 && !m.opened[became[0]]:
			place[i] = became[0]
		}
	}
	return place
}

// write writes a word with its elements. The beginnings of elements are written with the first word in them.
func (m *merger) write(t token, class string, path []*html.Node) {
	if t.begin != nil {
		return
	}
	common := 0
	for common < min(len(path), len(m.stack)) && path[common] == m.stack[common] {
		common++
	}
	if class != m.class || common < len(m.stack) || common < len(path) {
		m.closeSpan()
	}
	m.closeTo(common)
	m.between(class)
	for _, n := range path[common:] {
		m.open(n)
	}
	if t.html != "" {
		if len(m.stack) == 0 && !m.text {
			m.tops++
			m.text = true
		}
		if class != "" && m.class == "" {
			m.out.WriteString(`<span class="` + class + `">`)
			m.class = class
		}
		m.out.WriteString(t.html)
		m.last = class
	}
	m.space = t.space
}

// between writes the white space between two words. There is always some between inserted text and the deleted text
// that it replaces.
func (m *merger) between(class string) {
	space := m.space
	if space == "" && m.last == insertedClass && class == deletedClass {
		space = " "
	}
	if space != "" && m.out.Len() > 0 {
		if !slices.ContainsFunc(m.stack, func(n *html.Node) bool { return n.DataAtom == atom.Pre }) {
			space = " "
		}
		m.out.WriteString(space)
	}
}

func (m *merger) open(n *html.Node) {
	if len(m.stack) == 0 {
		m.tops++
		m.text = false
	}
	m.out.WriteString(startTag(n))
	m.stack = append(m.stack, n)
	m.opened[n] = true
}

func (m *merger) closeSpan() {
	if m.class != "" {
		m.out.WriteString("</span>")
		m.class = ""
	}
}

func (m *merger) closeTo(depth int) {
	for len(m.stack) > depth {
		last := len(m.stack) - 1
		m.out.WriteString("</" + m.stack[last].Data + ">")
		m.stack = m.stack[:last]
	}
}

func (m *merger) end() string {
	m.closeSpan()
	m.closeTo(0)
	if m.tops > 1 {
		return "<div>" + m.out.String() + "</div>"
	}
	return m.out.String()
}
