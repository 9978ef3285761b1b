package transfer

import (
	"strings"
	"testing"
)

// The storage of accounts is limited in characters. An entry that is too large leaves room for others.
func TestStorageRoom(t *testing.T) {
	t.Parallel()
	room := storageRoom{}
	for _, c := range []struct {
		what, key, value string
		fits             bool
	}{
		{"a long key", strings.Repeat("ü", maxKey+1), "", false},
		{"the longest key", strings.Repeat("ü", maxKey), "", true},
		{"more than there is room for", "k", strings.Repeat("x", maxStored), false},
		{"as much as there is room for", "k", strings.Repeat("ü", maxStored-maxKey-1), true},
		{"something more", "", "x", false},
	} {
		if fits := room.take(1, c.key, c.value); fits != c.fits {
			t.Errorf("%s: %v", c.what, fits)
		}
	}
	if !room.take(2, "k", "x") {
		t.Error("accounts share their room")
	}
}
