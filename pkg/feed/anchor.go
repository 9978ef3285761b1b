package feed

import (
	"strconv"
	"strings"

	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
)

// Faults of an anchor (rest-api.md, section 2.3).
var (
	// ErrNoAnchor says that there is none.
	ErrNoAnchor = fault.Bad("Missing 'anchor' argument.")
	// ErrAnchor says that it is neither a number nor a known word.
	ErrAnchor = fault.Bad("Invalid anchor")
)

// Anchor is the position around which messages are requested: the id of a message, which needn't exist, or one of the
// constants.
type Anchor id.Message

// Anchors that aren't ids.
const (
	Oldest      Anchor = 0
	Newest      Anchor = 10_000_000_000_000_000
	FirstUnread Anchor = -1
)

// ParseAnchor parses an anchor in a request. nil means that it is missing.
func ParseAnchor(text *string) (Anchor, error) {
	if text == nil {
		return 0, ErrNoAnchor
	}
	switch *text {
	case "oldest":
		return Oldest, nil
	case "newest":
		return Newest, nil
	case "first_unread":
		return FirstUnread, nil
	}
	digits, negative := strings.CutPrefix(*text, "-")
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return 0, ErrAnchor
	}
	if negative {
		return Oldest, nil
	}
	// A number that is too large becomes the largest id, which stands for the newest message, too.
	number, _ := strconv.ParseInt(digits, 10, 64)
	return min(Anchor(number), Newest), nil
}
