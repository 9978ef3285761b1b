package attachment_test

import (
	"testing"

	"chatserver.dev/pkg/attachment"
)

// Thumbnails of one organization don't block those of others.
func TestManyThumbnails(t *testing.T) {
	t.Parallel()
	s := attachment.New(attachment.Deps{})
	for range attachment.MaxThumbnails {
		if !s.Begin(1) {
			t.Fatal("begin failed below the limit")
		}
	}
	if s.Begin(1) || !s.Begin(2) {
		t.Error("begin exceeded the limit, or failed for another organization")
	}
	s.End(1)
	if !s.Begin(1) {
		t.Error("an ended thumbnail still counts")
	}
	s.End(2)
	for range attachment.MaxThumbnails {
		s.End(1)
	}
	if s.UnderWay() != 0 {
		t.Error("ended thumbnails are still recorded")
	}
}
