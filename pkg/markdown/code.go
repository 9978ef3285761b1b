package markdown

import (
	"slices"
	"strings"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
)

// The lexers' regular expressions backtrack: some need quadratic time for an
// unclosed comment, some cubic time for blank lines, and they can't be stopped. These limits,
// in bytes, keep the worst known case below a second. Code beyond them isn't highlighted.
const (
	maxHighlighted      = 3000 // of all code blocks of a text together
	maxHighlightedLine  = 500
	maxHighlightedBlank = 100
)

// code writes a code block (rest-api.md, section 7.3).
func (p *page) code(source, language string) {
	p.write(`<div class="codehilite"><pre><span></span><code>`)
	mark := len(p.out)
	if name := lexerOf(language); name == "" || !p.highlight(source, name) {
		p.out = p.out[:mark]
		p.verbatim(source)
	}
	p.write("</code></pre></div>")
}

// highlight writes code with the classes of its tokens, and reports whether it succeeded.
func (p *page) highlight(source, lexer string) (ok bool) {
	p.highlighted += len(source)
	if p.highlighted > maxHighlighted || !ordinary(source) {
		return false
	}
	defer func() {
		if recover() != nil { // the lexer's regular expression timed out, or the lexer has a bug
			ok = false
		}
	}()
	l := lexers.Get(lexer)
	if l == nil {
		return false
	}
	tokens, err := chroma.Coalesce(l).Tokenise(nil, source)
	if err != nil {
		return false
	}
	size := 0
	for token := tokens(); token != chroma.EOF; token = tokens() {
		value := token.Value
		if size += len(value); size > len(source) {
			value = value[:max(0, len(value)-(size-len(source)))] // a line feed that the lexer added
		}
		class := classOf(token.Type)
		if class == "" || strings.TrimSpace(value) == "" {
			p.verbatim(value)
			continue
		}
		p.write(`<span class="`, class, `">`)
		p.verbatim(value)
		p.write("</span>")
	}
	return size >= len(source)
}

// ordinary reports whether code has neither very long lines nor very long runs of blanks.
func ordinary(source string) bool {
	line, blanks := 0, 0
	for i := range len(source) {
		line++
		blanks++
		if source[i] == '\n' {
			line = 0
		}
		if !blank(source[i]) {
			blanks = 0
		}
		if line > maxHighlightedLine || blanks > maxHighlightedBlank {
			return false
		}
	}
	return true
}

// classOf returns the short class of a token type, "" for plain text.
func classOf(t chroma.TokenType) string {
	for t != 0 {
		if class, ok := chroma.StandardTypes[t]; ok {
			return class
		}
		t = t.Parent()
	}
	return ""
}

// lexerOf returns the lexer of a language, or "" for those that aren't highlighted, among them those
// whose lexers are slow on unusual input.
func lexerOf(language string) string {
	for _, names := range [...]string{
		"bash sh shell zsh console", "c h", "c++ cpp cc hpp", "c# csharp cs", "go golang", "javascript js jsx node", "typescript ts tsx",
		"python py python3 py3", "ruby rb", "rust rs", "yaml yml", "docker dockerfile", "make makefile", "haskell hs", "kotlin kt",
		"powershell ps1", "terraform hcl tf", "tex latex", "diff patch", "java", "json", "css", "scss", "sql", "toml", "ini", "lua", "perl", "r",
		"scala", "swift", "dart", "elixir", "erlang", "clojure", "ocaml", "nix", "protobuf", "graphql", "xml", "nginx", "matlab", "julia", "awk", "vim",
	} {
		if all := strings.Fields(names); slices.Contains(all, language) {
			return all[0]
		}
	}
	return ""
}
