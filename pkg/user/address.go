package user

import (
	"net/mail"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/org"
)

// maxEmail is the maximum length of an address in bytes (RFC 5321, section 4.5.3.1.3, without the angle brackets).
const maxEmail = 254

// ValidEmail reports whether email is an address that a person may sign in with, without a name or other text. Since addresses are
// compared in lower case, it refuses İ (U+0130) and the Kelvin sign, whose lower case is in ASCII: ann@gİt.example would be taken for
// ann@git.example, although mail to it goes to another domain.
func ValidEmail(email string) bool {
	becomesASCII := func(r rune) bool { return r >= utf8.RuneSelf && unicode.ToLower(r) < utf8.RuneSelf }
	parsed, err := mail.ParseAddress(email)
	return err == nil && parsed.Address == email && len(email) <= maxEmail && !strings.ContainsFunc(email, becomesASCII)
}

// DisplayEmail returns the address of an account that others see (rest-api.md, section 8.7).
func DisplayEmail(o org.Org, u User) string {
	if u.IsBot() || o.Settings.EmailAddressVisibility == org.EmailsForEveryone {
		return u.RealEmail
	}
	return hiddenPrefix + strconv.FormatInt(int64(u.ID), 10) + "@" + o.Domain
}

// hiddenPrefix begins the addresses shown instead of real ones. The account's id follows.
const hiddenPrefix = "user"

// hiddenID returns the account that such an address belongs to, or zero for every other address.
func hiddenID(o org.Org, email string) id.User {
	name, domain, _ := strings.Cut(strings.ToLower(email), "@")
	digits, ok := strings.CutPrefix(name, hiddenPrefix)
	if !ok || !strings.EqualFold(domain, o.Domain) {
		return 0
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 1 || strconv.FormatInt(n, 10) != digits {
		return 0
	}
	return id.User(n)
}
