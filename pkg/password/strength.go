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

// Limits of passwords. Clients learn the first two from POST /register.
const (
	// minLength is the least number of characters.
	minLength = 6
	// minGuesses is how many guesses a password has to withstand, as zxcvbn estimates them.
	minGuesses = 10000
	// MaxBytes is the greatest length; how strong a password is takes time that grows with it.
	MaxBytes = 100
)

// ErrTooLong says that a password is longer than [MaxBytes].
var ErrTooLong = fault.Plain("The password is too long (limit: 100 bytes).")

// Strong reports whether a password is good enough for an account. A password that is made of what is known about
// its owner (the name, the address) is weak, so these are passed along. The password has at most [MaxBytes]: judging
// such a long one takes up to 0.1 s of a processor. It fails with [ErrBusy].
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

// guesses is how many guesses a password withstands on average. zxcvbn's own search for digits and signs that stand for
// letters is left out: it takes time that is exponential in their number. Strong has each stand for one letter.
func guesses(password string, known []string) float64 {
	return math.Exp2(zxcvbn.PasswordStrength(password, known, matching.FilterL33tMatcher).Entropy - 1)
}

func letters() *strings.Replacer {
	return strings.NewReplacer("4", "a", "@", "a", "8", "b", "(", "c", "{", "c", "[", "c", "<", "c", "3", "e", "6", "g", "9", "g",
		"1", "i", "!", "i", "|", "i", "0", "o", "$", "s", "5", "s", "+", "t", "7", "t", "%", "x", "2", "z")
}
