package presence

import "strings"

// Aggregated is the name that answers have for what an account's clients say together.
const Aggregated = "aggregated"

// clientName is the name that a client's reports are kept by. A desktop app counts as the web site, which it
// shows (rest-api.md, section 4.9).
func clientName(name string) string {
	lower := strings.ToLower(name)
	switch {
	case strings.HasSuffix(lower, "electron"), strings.HasSuffix(lower, "desktop"), strings.Contains(lower, "desktop app"):
		return "website"
	case lower == Aggregated: // would hide what is made of all clients
		return "Unspecified"
	}
	return name
}
