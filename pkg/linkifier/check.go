package linkifier

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"

	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/markdown"
)

// Limits of one linkifier. What searching a text may take is bounded by package markdown.
const (
	maxText = 500 // characters of the pattern, and of the address
	// maxInstructions is how many instructions the program of a pattern has: the cost of a byte of text.
	maxInstructions = 500
)

// ErrInvalid says what is wrong with a linkifier: its member errors has all that is, by field, and its message is the first.
var ErrInvalid = fault.Plain("%s")

const (
	blank      = "This field cannot be blank."
	badPattern = "Invalid filter pattern.  Valid characters are [ a-zA-Z_#=/:+!-]."
	badURL     = "Enter a valid URL."
	badFormat  = "Invalid URL format string."
	noGroup    = "Group '%s' in URL format string is not present in the pattern."
	tooLong    = "Ensure this value has at most 500 characters."
	tooComplex = "The pattern is too complex."
)

var (
	// A literal beginning and a group, repeated.
	patternForm = regexp.MustCompile(`^(?:(?:[\pL\pN_\-#= /:]*|[+]|[!])(\(\?P<\w+>.+\)))+$`)
	// Literal text and a group, repeated, and perhaps literal text.
	formatForm  = regexp.MustCompile(`^([\.\/:a-zA-Z0-9#_?=&;-]+%\(([a-zA-Z0-9_-]+)\)s)+[/a-zA-Z0-9#_?=&;-]*$`)
	placeholder = regexp.MustCompile(`%\(([a-zA-Z0-9_-]+)\)s`)
)

// complaint is something that is wrong with a linkifier.
type complaint struct{ field, text string }

// invalid returns the fault for what is wrong, in the order in which it was found; nil: nothing.
func invalid(wrong []complaint) error {
	if len(wrong) == 0 {
		return nil
	}
	fields := map[string][]string{}
	for _, c := range wrong {
		fields[c.field] = append(fields[c.field], c.text)
	}
	return ErrInvalid.Format(wrong[0].text).With("errors", fields)
}

// CheckList fails with [ErrInvalid] or [ErrMany] where an organization can't have these linkifiers, each a pattern and a format.
// White space around them doesn't count.
func CheckList(list [][2]string) error {
	seen := map[string]bool{}
	for _, l := range list {
		pattern, format := strings.TrimSpace(l[0]), strings.TrimSpace(l[1])
		wrong := check(pattern, format)
		if seen[pattern] {
			wrong = append(wrong, complaint{"__all__", there})
		}
		if len(wrong) > 0 {
			return invalid(wrong)
		}
		seen[pattern] = true
	}
	if len(list) > maxLinkifiers {
		return ErrMany
	}
	return nil
}

// check returns what is wrong with a linkifier's own texts.
func check(pattern, format string) (wrong []complaint) {
	groups := []string(nil)
	if text := wrongPattern(pattern); text != "" {
		wrong = append(wrong, complaint{"pattern", text})
	} else {
		groups = regexp.MustCompile(pattern).SubexpNames()
	}
	for _, text := range wrongFormat(format, groups) {
		wrong = append(wrong, complaint{"url_format_string", text})
	}
	if len(wrong) == 0 {
		if _, err := markdown.NewLinkifier(pattern, format); err != nil {
			wrong = append(wrong, complaint{"url_format_string", badURL}) // its host isn't fixed
		}
	}
	return wrong
}

// wrongPattern says what is wrong with a pattern; empty: nothing.
func wrongPattern(pattern string) string {
	switch {
	case pattern == "":
		return blank
	case utf8.RuneCountInString(pattern) > maxText:
		return tooLong
	case !patternForm.MatchString(pattern):
		return badPattern
	}
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if wrong := (*syntax.Error)(nil); errors.As(err, &wrong) {
		switch wrong.Code { //nolint:exhaustive // of the others, no more is known than that they are wrong
		case syntax.ErrInvalidPerlOp, syntax.ErrInvalidEscape, syntax.ErrInvalidNamedCapture:
			return "Invalid filter pattern: " + wrong.Expr + " is not supported."
		case syntax.ErrInvalidRepeatSize, syntax.ErrLarge, syntax.ErrNestingDepth:
			return tooComplex
		default:
			return badPattern
		}
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil || len(program.Inst) > maxInstructions {
		return tooComplex
	}
	return ""
}

// wrongFormat says what is wrong with the format of an address; groups are the pattern's, nil: not known.
func wrongFormat(format string, groups []string) (wrong []string) {
	switch {
	case format == "":
		return []string{blank}
	case utf8.RuneCountInString(format) > maxText:
		return []string{tooLong}
	}
	address, err := url.Parse(placeholder.ReplaceAllString(format, "x"))
	if err != nil || address.Scheme != "http" && address.Scheme != "https" || address.Host == "" {
		wrong = append(wrong, badURL)
	}
	if !formatForm.MatchString(format) {
		return append(wrong, badFormat)
	}
	for _, found := range placeholder.FindAllStringSubmatch(format, -1) {
		if groups != nil && !slices.Contains(groups, found[1]) {
			wrong = append(wrong, fmt.Sprintf(noGroup, found[1]))
		}
	}
	return wrong
}
