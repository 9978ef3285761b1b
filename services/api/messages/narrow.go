package messages

import "chatserver.dev/pkg/narrow"

// narrowing is a narrow in the form of requests: a list of terms, each an object with operator, operand
// and negated, or a pair of strings.
type narrowing narrow.Narrow

// ParseParam reads the text of the parameter.
func (n *narrowing) ParseParam(raw string) error {
	parsed, err := narrow.Parse(raw)
	*n = narrowing(parsed)
	return err
}
