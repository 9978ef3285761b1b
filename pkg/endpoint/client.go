package endpoint

import (
	"net/http"
	"strings"
)

// maxClient is the maximum length of a client's name in characters (rest-api.md, section 1.8).
const maxClient = 30

// Client returns the name of the program that requests a page (rest-api.md, section 1.8).
func Client(r *http.Request) string { return clientName("", r.UserAgent()) }

// clientName returns the name of the program that sent a request: the parameter client, or
// else the product in the User-Agent.
func clientName(param, userAgent string) string {
	name := param
	if strings.TrimSpace(name) == "" {
		name = userAgent
		if end := strings.IndexAny(name, "/(0123456789"); end >= 0 {
			name = name[:end]
		}
		name = strings.ToValidUTF8(name, "")
	}
	name = strings.TrimSpace(name)
	if name == "" {
		return "Unspecified"
	}
	if len(name) > maxClient {
		count := 0
		for i := range name {
			if count == maxClient {
				return name[:i]
			}
			count++
		}
	}
	return name
}
