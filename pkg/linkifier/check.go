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

// Limits of one linkifier. Package markdown limits the time of searching a text.
const (
	maxText = 500 // characters of the pattern, and of the address
	// maxInstructions is the maximum number of instructions in the compiled pattern, which determines the cost of each byte of text.
	maxInstructions = 500
)

// ErrInvalid says that a linkifier is invalid. Its member errors has all errors by field. Its message is the first error.
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

// fieldError is an error in a field of a linkifier.
type fieldError struct{ field, text string }

// invalid returns the fault with these errors in their order, or nil if there are none.
func invalid(wrong []fieldError) error {
	if len(wrong) == 0 {
		return nil
	}
	fields := map[string][]string{}
	for _, c := range wrong {
		fields[c.field] = append(fields[c.field], c.text)
	}
	return ErrInvalid.Format(wrong[0].text).With("errors", fields)
}

// CheckList fails with [ErrInvalid] or [ErrMany] if an organization can't have these linkifiers, each a pattern and a format.
// It ignores white space around them.
func CheckList(list [][2]string) error {
	seen := map[string]bool{}
	for _, l := range list {
		pattern, format := strings.TrimSpace(l[0]), strings.TrimSpace(l[1])
		wrong := check(pattern, format)
		if seen[pattern] {
			wrong = append(wrong, fieldError{"__all__", there})
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

// check returns the errors in a linkifier's own texts.
func check(pattern, format string) (wrong []fieldError) {
	groups := []string(nil)
	if text := wrongPattern(pattern); text != "" {
		wrong = append(wrong, fieldError{"pattern", text})
	} else {
		groups = regexp.MustCompile(pattern).SubexpNames()
	}
	for _, text := range wrongFormat(format, groups) {
		wrong = append(wrong, fieldError{"url_format_string", text})
	}
	if len(wrong) == 0 {
		if _, err := markdown.NewLinkifier(pattern, format); err != nil {
			wrong = append(wrong, fieldError{"url_format_string", badURL}) // its host isn't fixed
		}
	}
	return wrong
}

// wrongPattern returns the error in a pattern, or "" if it is valid.
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
		switch wrong.Code { //nolint:exhaustive // the other codes have no specific message
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

// wrongFormat returns the errors in the format of an address. groups are the groups of the pattern; nil: unknown.
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
