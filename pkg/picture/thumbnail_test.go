package picture_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"testing"
	"time"

	"chatserver.dev/pkg/picture"
)

// of returns a function that returns a file in memory.
func of(file []byte) func(context.Context) ([]byte, error) {
	return func(context.Context) ([]byte, error) { return file, nil }
}

func TestThumbnail(t *testing.T) {
	t.Parallel()
	hole := quarters(60, 60)
	hole.SetRGBA(0, 0, color.RGBA{})
	for name, c := range map[string]struct {
		file []byte
		size image.Point
		kind string
	}{
		"a photo":            {encodeJPEG(t, quarters(800, 600)), image.Pt(400, 300), "jpeg"},
		"a high one":         {encodePNG(t, quarters(100, 3000)), image.Pt(10, 300), "jpeg"},
		"a wide one":         {encodePNG(t, quarters(3600, 30)), image.Pt(1200, 10), "jpeg"},
		"one that is small":  {encodePNG(t, quarters(8, 9)), image.Pt(8, 9), "jpeg"},
		"one to see through": {encodePNG(t, hole), image.Pt(60, 60), "png"},
	} {
		made, mediaType, err := newMaker().Thumbnail(t.Context(), org, of(c.file), 1200, 300)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		decoded, kind, err := image.Decode(bytes.NewReader(made))
		if err != nil || kind != c.kind || mediaType != "image/"+kind || decoded.Bounds().Size() != c.size {
			t.Errorf("%s: %s, %s, %v, %v", name, kind, mediaType, decoded.Bounds(), err)
		}
	}
}

// Thumbnail returns errors of read, and doesn't call read before it is the caller's turn.
func TestThumbnailInTurn(t *testing.T) {
	t.Parallel()
	gone := errors.New("gone")
	_, _, err := newMaker().Thumbnail(t.Context(), org, func(context.Context) ([]byte, error) { return nil, gone }, 1200, 300)
	if !errors.Is(err, gone) {
		t.Errorf("%v", err)
	}
	if _, _, err := newMaker().Thumbnail(t.Context(), org, of(claim(1<<25, 1<<25, 8, 2, 0)), 1200, 300); !errors.Is(err, picture.ErrLarge) {
		t.Errorf("a bomb: %v", err)
	}
	maker := picture.NewMaker(1, 0, time.Minute)
	beside := maker.Beside(1)
	maker.Begin()
	ended, end := context.WithCancel(t.Context())
	end()
	for range 3 { // each leaves the queue with its caller
		_, _, err = beside.Thumbnail(ended, org, func(context.Context) ([]byte, error) {
			t.Error("the file was read")
			return nil, nil
		}, 1200, 300)
		if !errors.Is(err, picture.ErrBusy) {
			t.Errorf("both are in one turn: %v", err)
		}
	}
}
