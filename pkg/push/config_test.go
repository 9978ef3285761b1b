package push_test

import (
	"strings"
	"testing"

	"chatserver.dev/pkg/push"
)

func TestConfig(t *testing.T) {
	t.Parallel()
	// The keys of RFC 8291, section 5.
	config := push.Config{Key: "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"}
	if err := config.Check(); err != nil {
		t.Error(err)
	}
	if got := config.Keys().Public; got != "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8" {
		t.Error(got)
	}
	if err := (push.Config{}).Check(); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{
		"x", "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ", "yfWPiYE+n46HLnH0KqZOF1fJJU3MYrct3AELtAQ+oRw=",
		strings.Repeat("A", 43), "_" + strings.Repeat("_", 41) + "8",
	} {
		if err := (push.Config{Key: bad}).Check(); err == nil || !strings.Contains(err.Error(), "WEB_PUSH_SECRET_KEY") || strings.Contains(err.Error(), bad) && bad != "x" {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
