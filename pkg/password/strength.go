package password

import (
	"context"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/nbutton23/zxcvbn-go"
	"github.com/nbutton23/zxcvbn-go/matching"

	"chatserver.dev/pkg/fault"
)

// Limits on passwords. Clients get the first two from POST /register.
const (
	// minLength is the minimum length in characters.
	minLength = 6
	// minGuesses is the minimum number of guesses to find a password, as zxcvbn estimates it.
	minGuesses = 10000
	// MaxBytes is the maximum length. Estimating the strength of a password takes longer the longer it is.
	MaxBytes = 100
)

// ErrTooLong says that a password is longer than [MaxBytes].
var ErrTooLong = fault.Plain("The password is too long (limit: 100 bytes).")

// Strong reports whether a password is strong enough for an account. Passwords that consist of known texts about the
// owner, such as the name and the address, are weak. The password must have at most [MaxBytes]: for one of this
// length, Strong takes up to 0.1 s of CPU time. It fails with [ErrBusy].
func (h *Hasher) Strong(ctx context.Context, password string, known ...string) (strong bool, err error) {
	if utf8.RuneCountInString(password) < minLength {
		return false, nil
	}
	words := slices.Clone(known)
	for _, k := range known {
		words = append(words, strings.FieldsFunc(k, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })...)
	}
	err = h.inTurn(ctx, func(computer) error {
		strong = guesses(password, words) >= minGuesses && guesses(letters().Replace(password), words) >= minGuesses
		return nil
	})
	return strong, err
}

// guesses returns the average number of guesses to find a password. It doesn't use zxcvbn's search for digits and
// signs in place of letters, which takes time exponential in their number. Strong replaces each of them by one
// letter.
func guesses(password string, known []string) float64 {
	return math.Exp2(zxcvbn.PasswordStrength(password, known, matching.FilterL33tMatcher).Entropy - 1)
}

func letters() *strings.Replacer {
	return strings.NewReplacer("4", "a", "@", "a", "8", "b", "(", "c", "{", "c", "[", "c", "<", "c", "3", "e", "6", "g", "9", "g",
		"1", "i", "!", "i", "|", "i", "0", "o", "$", "s", "5", "s", "+", "t", "7", "t", "%", "x", "2", "z")
}
