package presence

import "strings"

// aggregated is the name of the summary of an account's clients in responses.
const aggregated = "aggregated"

// clientName returns the name under which the reports of a client are stored. A desktop app counts as the web site,
// because it shows the web site (rest-api.md, section 4.9).
func clientName(name string) string {
	lower := strings.ToLower(name)
	switch {
	case strings.HasSuffix(lower, "electron"), strings.HasSuffix(lower, "desktop"), strings.Contains(lower, "desktop app"):
		return "website"
	case lower == aggregated: // would hide the summary
		return "Unspecified"
	}
	return name
}
