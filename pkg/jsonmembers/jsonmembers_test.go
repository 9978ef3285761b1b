package jsonmembers_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/jsonmembers"
)

type settings struct {
	Name  string `json:"name"`
	Limit int64  `json:"limit"`
}

type change struct {
	Name  *string `json:"name,omitempty"`
	Limit *int64  `json:"limit,omitempty"`
}

func TestCopy(t *testing.T) {
	t.Parallel()
	got := settings{Name: "one", Limit: 1}
	if err := jsonmembers.Copy(change{Limit: new(int64(math.MaxInt64))}, &got); err != nil || got != (settings{"one", math.MaxInt64}) {
		t.Errorf("%v, %v", got, err)
	}
	raw := map[string]json.RawMessage{}
	if err := jsonmembers.Copy(got, &raw); err != nil || string(raw["limit"]) != "9223372036854775807" {
		t.Errorf("%s, %v", raw["limit"], err)
	}
	if jsonmembers.Copy(make(chan int), &got) == nil || jsonmembers.Copy(map[string]any{"limit": "many"}, &got) == nil {
		t.Error("values without such members are copied")
	}
}

func TestDiffering(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		what         string
		value, other any
		want         map[string]any
	}{
		{"the same", settings{"one", 1}, settings{"one", 1}, map[string]any{}},
		{"another value", settings{"one", 1}, settings{"two", 1}, map[string]any{"name": "one"}},
		{"a member of one alone", settings{"one", 1}, change{Name: new("one")}, map[string]any{"limit": 1.0}},
		{"no change", change{}, settings{"one", 1}, map[string]any{}},
	} {
		got, err := jsonmembers.Differing(test.value, test.other)
		if diff := cmp.Diff(test.want, got); err != nil || diff != "" {
			t.Errorf("%s: %v %s", test.what, err, diff)
		}
	}
	if _, err := jsonmembers.Differing(settings{}, make(chan int)); err == nil {
		t.Error("a value without members is compared")
	}
}
