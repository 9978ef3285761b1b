package user

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/spelling"
)

// The errors of invalid full names (rest-api.md, section 4.8).
var (
	ErrNameTooLong    = fault.Bad("Name too long!")
	ErrNameTooShort   = fault.Bad("Name too short!")
	ErrNameCharacters = fault.Bad("Invalid characters in name!")
	ErrNameFormat     = fault.Bad("Invalid format!")
	// ErrNameInUse says that another active account has the bot's name.
	ErrNameInUse = fault.Bad("Name is already in use!")
)

// Limits on full names, in characters.
const (
	minName = 2
	maxName = 100
)

// mentionEnd matches the ends of names that would be ambiguous in a mention with the account's id.
var mentionEnd = regexp.MustCompile(`\|\d+$`)

// CheckName returns a full name as it is stored, see [spelling.Clean], or the error if it is invalid.
func CheckName(name string) (string, error) {
	name = spelling.Clean(name)
	switch n := utf8.RuneCountInString(name); {
	case n > maxName:
		return "", ErrNameTooLong
	case n < minName:
		return "", ErrNameTooShort
	case strings.ContainsFunc(name, notInNames):
		return "", ErrNameCharacters
	case mentionEnd.MatchString(name):
		return "", ErrNameFormat
	}
	return name, nil
}

// notInNames reports whether names can't contain r, because it is Markdown syntax, invisible or invalid. Letters that look like blanks
// would make two names that look the same. Variation selectors are part of emoji.
func notInNames(r rune) bool {
	return strings.ContainsRune("*`\\>\"@", r) || r == utf8.RuneError || !unicode.IsGraphic(r) ||
		spelling.IsInvisible(r) && !unicode.Is(unicode.Variation_Selector, r)
}
