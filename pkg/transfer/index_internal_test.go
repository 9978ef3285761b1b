package transfer

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"chatserver.dev/pkg/archive"
)

// The limit on what is held in memory counts a message's texts, except for the HTML, which isn't kept, and the message itself.
func TestHeld(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("x", 1000)
	if n := held(archive.Message{ID: 1}); n < 100 {
		t.Errorf("a message without texts counts as %d", n)
	}
	for what, m := range map[string]archive.Message{"content": {Content: text}, "topic": {Subject: text}, "edits": {EditHistory: &text}} {
		if n := held(m); n < len(text) {
			t.Errorf("%s of %d bytes counts as %d", what, len(text), n)
		}
	}
	if n := held(archive.Message{Rendered: text}); n > 300 {
		t.Errorf("the HTML counts as %d", n)
	}
}

// Files count together if they have messages of the same times.
func TestHeldTogether(t *testing.T) {
	t.Parallel()
	file := func(number, first, last int) messageFile {
		at := func(second int) moment { return moment{time.Unix(int64(second), 0), int64(second)} }
		return messageFile{fmt.Sprintf("messages-%d.json", number), at(first), at(last), 100}
	}
	for name, c := range map[string]struct {
		files []messageFile
		fits  bool
	}{
		"one after the other":  {[]messageFile{file(1, 1, 5), file(2, 6, 9), file(3, 10, 11)}, true},
		"two at once":          {[]messageFile{file(1, 1, 6), file(2, 5, 11), file(3, 10, 11)}, true},
		"three at once":        {[]messageFile{file(1, 1, 10), file(2, 5, 11), file(3, 10, 11)}, false},
		"one of many at once":  {append(slices.Repeat([]messageFile{file(1, 1, 5)}, 2), file(3, 5, 6), file(4, 6, 7)), false},
		"one during all times": {[]messageFile{file(1, 1, 99), file(2, 5, 7), file(3, 8, 9), file(4, 10, 11)}, true},
	} {
		err := (&index{files: c.files}).fits(250)
		if c.fits != (err == nil) || err != nil && !strings.Contains(err.Error(), "messages-3.json") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// An archive may have any number of files, and all of them may have messages of the same times.
func TestHeldTogetherManyFiles(t *testing.T) {
	t.Parallel()
	const count = 200_000
	x := &index{}
	for i := range int64(count) {
		x.files = append(x.files, messageFile{name: "messages.json", first: moment{time.Unix(i, 0), i}, last: moment{time.Unix(count+i, 0), i}, bytes: 1})
	}
	start := time.Now()
	if err := x.fits(count); err != nil {
		t.Error(err)
	}
	if took := time.Since(start); took > time.Minute {
		t.Errorf("it took %v", took)
	}
	if err := x.fits(count - 1); err == nil || !strings.Contains(err.Error(), "in 199999 other files, take 200000 bytes") {
		t.Error(err)
	}
}
