package scim

import (
	"strings"
	"testing"
)

// The cost of a filter grows with the square of its length, and a search's body may be long.
func TestLongestFilter(t *testing.T) {
	t.Parallel()
	comparison := func(length int) string {
		const open = `userName eq "`
		return open + strings.Repeat("x", length-len(open)-1) + `"`
	}
	if _, err := peopleBy(comparison(maxFilter)); err != nil {
		t.Errorf("the longest: %v", err)
	}
	for _, filter := range []string{comparison(maxFilter + 1), strings.Repeat(`id eq "1" and `, maxFilter) + `id eq "1"`} {
		if _, err := peopleBy(filter); err == nil || !strings.Contains(err.Error(), "too long") {
			t.Errorf("%d bytes: %v", len(filter), err)
		}
		if _, err := groupsBy(filter); err == nil {
			t.Errorf("%d bytes, of groups: no error", len(filter))
		}
	}
}
