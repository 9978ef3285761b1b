package picture_test

import (
	"bytes"
	"encoding/binary"
	"image"
	"strings"
	"testing"

	"chatserver.dev/pkg/picture"
)

// avif returns the beginning of a still image in AVIF, with parts of these sizes.
func avif(parts ...image.Point) []byte {
	meta := []byte("meta\x00\x00\x00\x00")
	for _, size := range parts {
		meta = append(meta, "\x00\x00\x00\x14ispe\x00\x00\x00\x00"...)
		meta = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(meta, uint32(size.X)), uint32(size.Y))
	}
	head := []byte("\x00\x00\x00\x14ftypavif\x00\x00\x00\x00avif")
	return append(binary.BigEndian.AppendUint32(head, uint32(4+len(meta))), meta...)
}

// An image is shown in browsers only if the beginning of its file contains its size, and it isn't too large for them.
func TestSizeByTheBeginning(t *testing.T) {
	t.Parallel()
	photo := encodeJPEG(t, quarters(64, 48))
	described := append(bytes.Clone(photo[:2]), append([]byte("\xff\xe2\xff\xff"+strings.Repeat("x", 65_533)), photo[2:]...)...)
	webp := "RIFF\x1a\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x02\x00\x00\x00\xff\x7f\x00\xff\x7f\x00" // animated, 32,768 pixels square
	for name, c := range map[string]struct {
		head  []byte
		size  image.Point // zero: unknown
		shown bool
	}{
		"PNG":                          {claim(5000, 10_000, 8, 2, 0), image.Pt(5000, 10_000), true},
		"PNG, large":                   {claim(5001, 10_000, 8, 2, 0), image.Pt(5001, 10_000), false},
		"PNG, without pixels":          {claim(0, 10, 8, 2, 0), image.Point{}, false},
		"PNG, cut off":                 {claim(10, 10, 8, 2, 0)[:24], image.Point{}, false},
		"JPEG":                         {photo, image.Pt(64, 48), true},
		"JPEG, behind a description":   {described, image.Pt(64, 48), true},
		"JPEG, within the description": {described[:1000], image.Point{}, false},
		"GIF":                          {screen(2, 300, 200), image.Pt(300, 200), true},
		"GIF, large":                   {screen(1, 65_535, 65_535), image.Pt(65_535, 65_535), false},
		"GIF, without a frame":         {screen(0, 300, 200), image.Point{}, false},
		"GIF, of a larger frame":       {append(screen(0, 3, 2)[:19], "!\xfe\x01x\x00,\x01\x00\x00\x00\xff\xff\xff\xff\x00"...), image.Pt(65_536, 65_535), false},
		"WebP, large":                  {[]byte(webp), image.Pt(32_768, 32_768), false},
		"AVIF":                         {avif(image.Pt(1, 1), image.Pt(300, 200)), image.Pt(300, 200), true},
		"AVIF, large":                  {avif(image.Pt(20_000, 1), image.Pt(1, 20_000)), image.Pt(20_000, 20_000), false},
		"AVIF, cut off":                {avif(image.Pt(1, 1), image.Pt(300, 200))[:60], image.Point{}, false},
		"AVIF, of nothing":             {avif(), image.Point{}, false},
		"AVIF, of a size in 64 bits":   {[]byte("\x00\x00\x00\x01ftypavif\x00\x00\x00\x00\x00\x00\x00\x01"), image.Point{}, false},
		"text":                         {[]byte("text"), image.Point{}, false},
		"nothing":                      {nil, image.Point{}, false},
	} {
		size, ok := picture.Size(c.head)
		if ok != (c.size != image.Point{}) || ok && size != c.size {
			t.Errorf("%s: %v, %t", name, size, ok)
		}
		if picture.IsShowable(c.head) != c.shown {
			t.Errorf("%s: it is shown: %t", name, !c.shown)
		}
	}
}

// Finding the size never panics, whatever a file begins with.
func FuzzSize(f *testing.F) {
	for _, head := range [][]byte{screen(1, 3, 2), claim(1, 1, 8, 2, 0), avif(image.Pt(1, 1)), []byte("\xff\xd8\xff\xc0")} {
		f.Add(head)
	}
	f.Fuzz(func(t *testing.T, head []byte) {
		if size, _ := picture.Size(head); picture.IsShowable(head) && size.X*size.Y > picture.MaxShown {
			t.Errorf("%v is shown", size)
		}
	})
}
