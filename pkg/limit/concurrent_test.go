package limit_test

import (
	"testing"

	"chatserver.dev/pkg/limit"
)

func TestConcurrent(t *testing.T) {
	t.Parallel()
	c := limit.NewConcurrent[string](2)
	enter := func(key string, want bool) {
		t.Helper()
		if got := c.Enter(key); got != want {
			t.Errorf("%s: %t", key, got)
		}
	}
	enter("a", true)
	enter("a", true)
	enter("a", false)
	enter("b", true)
	c.Leave("a")
	enter("a", true)
	enter("a", false)
	for _, key := range []string{"a", "a", "b"} {
		c.Leave(key)
	}
	if n := c.Known(); n != 0 {
		t.Errorf("%d keys without anything are recorded", n)
	}
}
