// Package linkifiers has the endpoints of linkifiers: patterns of text that become links (rest-api.md, section 5.7).
package linkifiers
