package lists_test

import (
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/lists"
)

func TestLists(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff([]string{"3", "1", "3"}, lists.Map([]int{3, 1, 3}, strconv.Itoa)); diff != "" {
		t.Errorf("mapped (-want +got):\n%s", diff)
	}
	if none := lists.Map(nil, strconv.Itoa); none == nil || len(none) > 0 {
		t.Errorf("of nothing: %#v", none)
	}
	length := func(s string) int { return len(s) }
	if diff := cmp.Diff(map[int]string{1: "b", 2: "cc"}, lists.Index([]string{"a", "cc", "b"}, length)); diff != "" {
		t.Errorf("indexed (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]bool{"a": true, "b": true}, lists.Set([]string{"a", "b", "a"})); diff != "" {
		t.Errorf("set (-want +got):\n%s", diff)
	}
}
