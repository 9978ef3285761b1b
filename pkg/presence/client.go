package presence

import "strings"

// Aggregated is the name under which answers have the summary of an account's clients.
const Aggregated = "aggregated"

// clientName is the name under which a client's reports are stored. A desktop app counts as the web site,
// which it shows (rest-api.md, section 4.9).
func clientName(name string) string {
	lower := strings.ToLower(name)
	switch {
	case strings.HasSuffix(lower, "electron"), strings.HasSuffix(lower, "desktop"), strings.Contains(lower, "desktop app"):
		return "website"
	case lower == Aggregated: // would hide the aggregated entry
		return "Unspecified"
	}
	return name
}
