package scim

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// However many attributes a request names, they are read once, and not for each resource.
func TestManyAttributes(t *testing.T) {
	t.Parallel()
	s := search{wanted: wanted{Only: append(slices.Repeat([]string{"x"}, 10_000), "displayName", "emails.value")}}
	took := func(resources int) time.Duration {
		c := &call{}
		start := time.Now()
		err := c.page(s, func(int, int) ([]any, int, error) {
			return slices.Repeat([]any{userResource{UserName: "mia", DisplayName: "Mia Moor"}}, resources), resources, nil
		})
		end := time.Since(start)
		if text := string(c.body); err != nil || strings.Count(text, `"displayName":"Mia Moor","emails":`) != resources || strings.Contains(text, "mia") {
			t.Errorf("%.200q, %v", text, err)
		}
		return end
	}
	if one, all := took(1), took(maxResults); all > maxResults/10*one {
		t.Errorf("%v for one resource, and %v for %d", one, all, maxResults)
	}
}
