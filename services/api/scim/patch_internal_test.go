package scim

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"chatserver.dev/pkg/testbed"
)

// However many operations a patch has, the parts of a name are copied once: it is applied in a transaction.
func TestManyPartsOfName(t *testing.T) {
	t.Parallel()
	parts := map[string]any{}
	for i := range 10_000 {
		parts[strconv.Itoa(i)] = ""
	}
	took := func(more int) time.Duration {
		operations := append([]operation{{"add", "name", parts}}, slices.Repeat([]operation{{"add", "name.givenName", "Mia"}}, more)...)
		return testbed.ProcessorTime(t, func() {
			a, err := attributes{}.patched(operations)
			if name, _ := a.fullName(); name != "Mia" || err != nil {
				t.Errorf("%q, %v", name, err)
			}
		})
	}
	if one, all := took(1), took(maxOperations-1); all > 20*one {
		t.Errorf("%v for one operation, and %v for %d", one, all, maxOperations-1)
	}
	if parts["givenname"] != nil {
		t.Error("the request was changed")
	}
}

// What an operation without a path sets doesn't depend on the order of a map.
func TestPartsComeAfterTheWhole(t *testing.T) {
	t.Parallel()
	for range 50 {
		a := attributes{}
		err := a.apply(operation{Op: "add", Value: map[string]any{
			"name.familyName": "Byron", "name": map[string]any{"givenName": "Ada", "familyName": "King"},
			`emails[type eq "work"].value`: "ada@corp.example", "emails": []any{map[string]any{"value": "king@corp.example"}},
		}})
		if err != nil {
			t.Fatal(err)
		}
		name, err := a.fullName()
		if err != nil || name != "Ada Byron" {
			t.Fatalf("%q, %v", name, err)
		}
		if email, err := a.email(); err != nil || email != "ada@corp.example" {
			t.Fatalf("%q, %v", email, err)
		}
	}
}
