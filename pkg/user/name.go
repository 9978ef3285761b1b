package user

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"chatserver.dev/pkg/fault"
)

// What can be wrong with a full name (rest-api.md, section 4.8).
var (
	ErrNameTooLong    = fault.Bad("Name too long!")
	ErrNameTooShort   = fault.Bad("Name too short!")
	ErrNameCharacters = fault.Bad("Invalid characters in name!")
	ErrNameFormat     = fault.Bad("Invalid format!")
	// ErrNameInUse says that a bot's name is another active account's.
	ErrNameInUse = fault.Bad("Name is already in use!")
)

// Limits on full names, in characters.
const (
	minName = 2
	maxName = 100
)

// mentionEnd would make the name ambiguous in a mention that names the account's id, too.
var mentionEnd = regexp.MustCompile(`\|\d+$`)

// CheckName returns a full name for storage, without surrounding white space, or what is wrong with
// it.
func CheckName(name string) (string, error) {
	name = strings.TrimSpace(name)
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

// notInNames reports whether r can't be in a name: what has a meaning in Markdown, and what can't be
// seen or means nothing.
func notInNames(r rune) bool {
	return strings.ContainsRune("*`\\>\"@", r) || r == utf8.RuneError || !unicode.IsGraphic(r)
}
