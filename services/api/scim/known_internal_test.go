package scim

import (
	"strconv"
	"testing"
)

// However often an organization replaces its token, the memory for tokens is limited. The newest ones are known.
func TestKnownTokensAreLimited(t *testing.T) {
	t.Parallel()
	k := newKnown()
	for n := range 2*maxKnown + 1 {
		token := strconv.Itoa(n)
		k.set(1, token, true)
		if !k.has(1, token) || k.has(2, token) || len(k.tokens) > maxKnown {
			t.Fatalf("%d tokens after %d", len(k.tokens), n+1)
		}
	}
}
