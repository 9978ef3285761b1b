package attachment_test

import (
	"testing"

	"chatserver.dev/pkg/attachment"
)

// One organization's thumbnails leave room for those of others.
func TestManyThumbnails(t *testing.T) {
	t.Parallel()
	s := attachment.New(attachment.Deps{})
	for range attachment.MostThumbnails {
		if !s.Begin(1) {
			t.Fatal("too few")
		}
	}
	if s.Begin(1) || !s.Begin(2) {
		t.Error("too many of one, or none of another")
	}
	s.End(1)
	if !s.Begin(1) {
		t.Error("one that has ended counts")
	}
	s.End(2)
	for range attachment.MostThumbnails {
		s.End(1)
	}
	if s.UnderWay() != 0 {
		t.Error("something is kept of those that have ended")
	}
}
