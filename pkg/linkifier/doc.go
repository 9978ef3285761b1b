// Package linkifier manages linkifiers: patterns of text that become links in an organization's messages and topics.
//
// Patterns have the form that the reference server asks for (rest-api.md, section 5.7) and are Go's regular expressions
// (https://golang.org/s/re2syntax), which take linear time. Of the reference's, those with look-around or back-references
// don't exist here, and the classes \w, \d and \s have ASCII characters only.
//
// Package patterns remembers the linkifiers of organizations for those who send.
package linkifier
