package servicetest

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Same fails the test, without ending it, if two values differ. what names them in the message, which lists the differences.
func Same(t testing.TB, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}
