package picture_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"slices"
	"strings"
	"testing"
	"time"

	"chatserver.dev/pkg/picture"
	"chatserver.dev/pkg/testbed"
)

// claim returns a PNG without pixels that claims a size.
func claim(width, height uint32, depth, kind, interlaced byte) []byte {
	head := binary.BigEndian.AppendUint32([]byte("IHDR"), width)
	head = append(binary.BigEndian.AppendUint32(head, height), depth, kind, 0, 0, interlaced)
	file := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"), head...)
	return binary.BigEndian.AppendUint32(file, crc32.ChecksumIEEE(head))
}

// screen returns a GIF that claims a size, with frames of that size without pixels.
func screen(frames int, width, height uint16) []byte {
	size := binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint16(nil, width), height)
	file := append(append([]byte("GIF89a"), size...), 0x80, 0, 0, 0, 0, 0, 255, 255, 255)
	for range frames {
		file = append(append(append(file, 0x2c, 0, 0, 0, 0), size...), 0, 2, 1, 0, 0)
	}
	return append(file, 0x3b)
}

// An image that claims to be too large isn't decoded.
func TestTooLarge(t *testing.T) {
	t.Parallel()
	photo := encodeJPEG(t, quarters(64, 64))
	frame := bytes.Index(photo, []byte("\xff\xc0"))
	sized := func(mark byte, width, height uint16) []byte {
		file := bytes.Clone(photo)
		file[frame+1] = mark
		binary.BigEndian.PutUint16(file[frame+5:], height)
		binary.BigEndian.PutUint16(file[frame+7:], width)
		return file
	}
	for name, file := range map[string][]byte{
		"PNG, a side":         claim(picture.MaxSide+1, 1, 8, 2, 0),
		"PNG, all sides":      claim(1<<25, 1<<25, 8, 2, 0),
		"PNG, pixels":         claim(5100, 5100, 8, 2, 0),
		"PNG, deep pixels":    claim(3600, 3600, 16, 6, 0),
		"PNG, interlaced":     claim(3600, 3600, 8, 6, 1),
		"GIF":                 screen(1, 65535, 65535),
		"GIF, interlaced":     screen(1, 8000, 8000),
		"JPEG":                sized(0xc0, 9000, 9000),
		"JPEG, a side":        sized(0xc0, 65535, 1),
		"JPEG, progressive":   sized(0xc2, 4000, 4000),
		"JPEG, scans":         append(append(bytes.Clone(photo[:len(photo)-2]), strings.Repeat("\xff\xda\x00\x02\x00\x01", picture.MaxScans+1)...), 0xff, 0xd9),
		"WebP, lossless":      []byte("RIFF\x22\x00\x00\x00WEBPVP8L\x11\x00\x00\x00\x2f\xff\xff\xff\x0f\x07\xd0\xff\xfe\xf7\xbf\xff\x81\x88\xe8\x7f\x00\x00"),
		"WebP, all it can be": []byte("RIFF\x24\x00\x00\x00WEBPVP8 \x18\x00\x00\x00\x30\x01\x00\x9d\x01\x2a\xff\x3f\xff\x3f\x03\x00\x34\x25\xa4\x00\x03\x70\x00\xfe\xfb\x94\x00\x00"),
	} {
		if _, err := newMaker().Squares(t.Context(), org, file, 100); !errors.Is(err, picture.ErrLarge) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, file := range map[string][]byte{
		"frames":         screen(picture.MaxFrames+1, 10, 10),
		"size of frames": screen(200, 1000, 1000),
		"a large screen": screen(2, 20000, 20000),
		"drawn frames":   screen(2, 20000, 2500), // its frames alone aren't too large
	} {
		if _, _, err := newMaker().Emoji(t.Context(), org, file); !errors.Is(err, picture.ErrLarge) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// All frames that a decoder finds are counted. None is hidden behind an extension that the count and the decoder
// parse differently.
func TestHiddenFrames(t *testing.T) {
	t.Parallel()
	const end = "\x3b"
	moving := encodeGIF(t, animationOf(2, 9, 7))
	frames, found := bytes.CutSuffix(moving, []byte(end))
	if !found {
		t.Fatal("the animation has no end")
	}
	for name, c := range map[string]struct {
		extension string
		want      error
	}{
		"text":                     {"\x21\x01\x0c" + strings.Repeat("x", 12) + "\x01x\x00", nil},
		"comment":                  {"\x21\xfe\x01" + end + "\x00", nil},
		"application":              {"\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00", nil},
		"application of ten bytes": {"\x21\xff\x0aXMP DataXM\x01x\x00", nil},
		"text without bytes":       {"\x21\x01\x00" + end + strings.Repeat("x", 11) + "\x00", picture.ErrNoImage},
		"long text":                {"\x21\x01\x0d" + strings.Repeat("x", 12) + "\x00" + end, picture.ErrNoImage},
		"nameless application":     {"\x21\xff\x00" + end + strings.Repeat("x", int(end[0])) + "\x00", picture.ErrNoImage},
	} {
		file := slices.Concat(frames, []byte(c.extension), []byte(end))
		if _, err := gif.DecodeAll(bytes.NewReader(file)); err != nil {
			t.Errorf("%s: no decoder accepts it: %v", name, err)
		}
		if _, _, err := newMaker().Emoji(t.Context(), org, file); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

func TestNoImage(t *testing.T) {
	t.Parallel()
	whole := map[string][]byte{
		"PNG": encodePNG(t, quarters(40, 40)), "JPEG": encodeJPEG(t, quarters(40, 40)), "GIF": encodeGIF(t, animationOf(3, 40, 40)),
	}
	bad := map[string][]byte{
		"nothing": nil, "text": []byte("hello"), "HTML": []byte("<!doctype html><script>alert(1)</script>"),
		"SVG":             []byte(`<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`),
		"BMP":             append([]byte("BM"), make([]byte, 100)...),
		"TIFF":            append([]byte("II*\x00"), make([]byte, 100)...),
		"no pixels":       claim(10, 10, 8, 2, 0),
		"no width":        claim(0, 10, 8, 2, 0),
		"no width, GIF":   screen(1, 0, 10),
		"frames, no data": screen(5, 10, 10),
		"image in text":   append([]byte("x"), whole["PNG"]...),
		"PDF before PNG":  append([]byte("%PDF-1.7\n"), whole["PNG"]...),
	}
	for name, file := range whole {
		for cut := range 10 {
			bad[fmt.Sprint(name, " cut off at ", cut)] = file[:cut*len(file)/20]
		}
	}
	for name, file := range bad {
		if _, err := newMaker().Squares(t.Context(), org, file, 100); !errors.Is(err, picture.ErrNoImage) {
			t.Errorf("%s: %v", name, err)
		}
		if _, _, err := newMaker().Emoji(t.Context(), org, file); !errors.Is(err, picture.ErrNoImage) {
			t.Errorf("%s as emoji: %v", name, err)
		}
	}
}

// The largest allowed images are decoded, and decoding ends with its context and at the timeout.
func TestLargest(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	largest := encodePNG(t, quarters(5000, 5000))
	if _, err := newMaker().Squares(t.Context(), org, largest, 100, 500); err != nil {
		t.Error(err)
	}
	moving := &gif.GIF{Config: image.Config{Width: 400, Height: 400}}
	for range 300 {
		moving.Image = append(moving.Image, image.NewPaletted(image.Rect(0, 0, 400, 400), color.Palette{red, green}))
		moving.Delay = append(moving.Delay, 1)
	}
	if _, _, err := newMaker().Emoji(t.Context(), org, encodeGIF(t, moving)); err != nil {
		t.Error(err)
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	if _, err := newMaker().Squares(gone, org, largest, 100); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if _, err := picture.NewMaker(1, 0, time.Millisecond).Squares(t.Context(), org, largest, 100); !errors.Is(err, picture.ErrBusy) {
		t.Errorf("after the timeout: %v", err)
	}
}

// No file causes a panic or takes long.
func FuzzMaker(f *testing.F) {
	for _, file := range [][]byte{
		encodePNG(f, quarters(9, 7)), encodeJPEG(f, quarters(9, 7)), encodeGIF(f, animationOf(3, 9, 7)), encodeGIF(f, animationOf(3, 200, 200)), claim(9, 9, 8, 2, 1), screen(3, 9, 9),
		[]byte("RIFF\x22\x00\x00\x00WEBPVP8L\x11\x00\x00\x00\x2f\x00\x00\x00\x00\x07\xd0\xff\xfe\xf7\xbf\xff\x81\x88\xe8\x7f\x00\x00"),
		[]byte("\xff\xd8\xff\xe1\x00\x16Exif\x00\x00MM\x00\x2a\x00\x00\x00\x08\x00\x01\x01\x12\xff\xda\x00\x02"),
	} {
		f.Add(file)
	}
	maker := newMaker()
	f.Fuzz(func(t *testing.T, file []byte) {
		_, err := maker.Squares(t.Context(), org, file, 100)
		_, _, emojiErr := maker.Emoji(t.Context(), org, file)
		_, fitErr := maker.Fit(t.Context(), org, file, 800, 100)
		for _, err := range []error{err, emojiErr, fitErr} {
			if err != nil && !errors.Is(err, picture.ErrNoImage) && !errors.Is(err, picture.ErrLarge) {
				t.Error(err)
			}
		}
	})
}
