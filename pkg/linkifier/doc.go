// Package linkifier manages linkifiers: patterns of text that become links in an organization's messages and topics.
//
// Patterns have the form that the reference server requires (rest-api.md, section 5.7). They are Go's regular expressions
// (https://golang.org/s/re2syntax), which take linear time. Unlike in the reference server, they have no look-around and no
// back-references, and the classes \w, \d and \s match ASCII characters only.
//
// Package patterns caches the linkifiers of organizations for the messages being sent.
package linkifier
