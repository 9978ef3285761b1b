package state_test

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"chatserver.dev/services/events/state"
	"chatserver.dev/services/servicetest"
)

// The documentation is generated from promoted fields. Two fields with the same name in different parts would hide each
// other.
func TestFieldsAreVisible(t *testing.T) {
	t.Parallel()
	want := []string{"unread_msgs"}
	for _, keys := range keysOf() {
		want = append(want, keys...)
	}
	got := map[string]bool{}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[state.State]()) {
		if key, _, _ := strings.Cut(field.Tag.Get("json"), ","); key != "" {
			got[key] = true
		}
	}
	slices.Sort(want)
	servicetest.Same(t, "keys", want, slices.Sorted(maps.Keys(got)))
}
