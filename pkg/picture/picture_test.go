package picture_test

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
	"testing"
	"time"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/picture"
)

// newMaker returns a maker with more time than the race detector needs for the largest image.
// org is an organization whose images are decoded.
const org = id.Org(1)

func newMaker() *picture.Maker { return picture.NewMaker(2, 100, 5*time.Minute) }

// The colors of test images, clockwise from the top left corner.
var (
	red    = color.RGBA{R: 220, A: 255}
	green  = color.RGBA{G: 220, A: 255}
	blue   = color.RGBA{B: 220, A: 255}
	yellow = color.RGBA{R: 220, G: 220, A: 255}
)

// quarters returns an image whose quarters have four colors.
func quarters(width, height int) *image.RGBA {
	out := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			row := [2]color.RGBA{red, green}
			if y >= height/2 {
				row = [2]color.RGBA{yellow, blue}
			}
			out.SetRGBA(x, y, row[min(1, 2*x/width)])
		}
	}
	return out
}

func encodePNG(t testing.TB, src image.Image) []byte {
	t.Helper()
	out := bytes.Buffer{}
	if err := png.Encode(&out, src); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func encodeJPEG(t testing.TB, src image.Image) []byte {
	t.Helper()
	out := bytes.Buffer{}
	if err := jpeg.Encode(&out, src, &jpeg.Options{Quality: 95}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func encodeGIF(t testing.TB, src *gif.GIF) []byte {
	t.Helper()
	out := bytes.Buffer{}
	if err := gif.EncodeAll(&out, src); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// decoded decodes a picture, which must have the size.
func decoded(t *testing.T, file []byte, width, height int) image.Image {
	t.Helper()
	got, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	if size := got.Bounds().Size(); size != image.Pt(width, height) {
		t.Fatalf("size %v, want %d×%d", size, width, height)
	}
	return got
}

// alike fails the test unless the centers of a picture's quarters have approximately these colors.
func alike(t *testing.T, what string, got image.Image, want ...color.Color) {
	t.Helper()
	size := got.Bounds().Size()
	for i, at := range []image.Point{{1, 1}, {3, 1}, {3, 3}, {1, 3}} {
		r, g, b, a := got.At(at.X*size.X/4, at.Y*size.Y/4).RGBA()
		wr, wg, wb, wa := want[i].RGBA()
		for _, pair := range [][2]uint32{{r, wr}, {g, wg}, {b, wb}, {a, wa}} {
			if max(pair[0], pair[1])-min(pair[0], pair[1]) > 0x1800 {
				t.Errorf("%s: quarter %d is %v, want %v", what, i, got.At(at.X*size.X/4, at.Y*size.Y/4), want[i])
				break
			}
		}
	}
}

func TestSquares(t *testing.T) {
	t.Parallel()
	still := image.NewPaletted(image.Rect(0, 0, 300, 300), color.Palette{red, green, blue, yellow})
	draw.Draw(still, still.Rect, quarters(300, 300), image.Point{}, draw.Src)
	for name, file := range map[string][]byte{
		"PNG":  encodePNG(t, quarters(300, 300)),
		"JPEG": encodeJPEG(t, quarters(300, 300)),
		"GIF":  encodeGIF(t, &gif.GIF{Image: []*image.Paletted{still}, Delay: []int{0}}),
		// The centers of all are the same square.
		"wide": encodePNG(t, wide(quarters(300, 300), 900, 300)),
		"tall": encodePNG(t, wide(quarters(300, 300), 300, 900)),
		"tiny": encodePNG(t, quarters(2, 2)),
		"huge": encodePNG(t, quarters(3000, 3000)),
	} {
		squares, err := newMaker().Squares(t.Context(), org, file, 100, 500)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		alike(t, name, decoded(t, squares[0], 100, 100), red, green, blue, yellow)
		alike(t, name, decoded(t, squares[1], 500, 500), red, green, blue, yellow)
	}
}

// wide puts an image in the center of a larger, transparent one.
func wide(src image.Image, width, height int) image.Image {
	out := image.NewRGBA(image.Rect(0, 0, width, height))
	size := src.Bounds().Size()
	for y := range size.Y {
		for x := range size.X {
			out.Set(x+(width-size.X)/2, y+(height-size.Y)/2, src.At(x, y))
		}
	}
	return out
}

func TestWebP(t *testing.T) {
	t.Parallel()
	for name, file := range map[string]string{
		"lossless": "RIFF\x22\x00\x00\x00WEBPVP8L\x11\x00\x00\x00\x2f\x00\x00\x00\x00\x07\xd0\xff\xfe\xf7\xbf\xff\x81\x88\xe8\x7f\x00\x00",
		"lossy":    "RIFF\x24\x00\x00\x00WEBPVP8 \x18\x00\x00\x00\x30\x01\x00\x9d\x01\x2a\x01\x00\x01\x00\x03\x00\x34\x25\xa4\x00\x03\x70\x00\xfe\xfb\x94\x00\x00",
	} {
		got, err := newMaker().Fit(t.Context(), org, []byte(file), 800, 100)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		decoded(t, got, 1, 1)
	}
}

func TestFit(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ width, height, wantWidth, wantHeight int }{
		{1600, 200, 800, 100},
		{3200, 200, 800, 50},
		{1000, 1000, 100, 100},
		{300, 90, 300, 90}, // it isn't enlarged
		{20000, 1, 800, 1},
		{1, 20000, 1, 100},
	} {
		got, err := newMaker().Fit(t.Context(), org, encodePNG(t, quarters(test.width, test.height)), 800, 100)
		if err != nil {
			t.Errorf("%+v: %v", test, err)
			continue
		}
		fitted := decoded(t, got, test.wantWidth, test.wantHeight)
		if test.wantWidth > 1 && test.wantHeight > 1 {
			alike(t, "fitted", fitted, red, green, blue, yellow)
		}
	}
	transparent, err := newMaker().Fit(t.Context(), org, encodePNG(t, wide(quarters(10, 10), 1000, 100)), 800, 100)
	if err != nil {
		t.Fatal(err)
	}
	none := color.RGBA{}
	alike(t, "transparent", decoded(t, transparent, 800, 80), none, none, none, none)
}

// A photo from a rotated camera becomes upright.
func TestOrientation(t *testing.T) {
	t.Parallel()
	plain := encodeJPEG(t, quarters(400, 200))
	for orientation, want := range map[byte][]color.Color{
		0: {red, green, blue, yellow}, // not a valid orientation
		1: {red, green, blue, yellow},
		2: {green, red, yellow, blue},
		3: {blue, yellow, red, green},
		4: {yellow, blue, green, red},
		5: {red, yellow, blue, green},
		6: {yellow, red, green, blue},
		7: {blue, green, red, yellow},
		8: {green, blue, yellow, red},
		9: {red, green, blue, yellow},
	} {
		for order, exif := range map[string]string{
			"big endian":    "Exif\x00\x00MM\x00\x2a\x00\x00\x00\x08\x00\x02\x01\x0f\x00\x02\x00\x00\x00\x01A\x00\x00\x00\x01\x12\x00\x03\x00\x00\x00\x01\x00" + string(orientation) + "\x00\x00\x00\x00\x00\x00",
			"little endian": "Exif\x00\x00II\x2a\x00\x08\x00\x00\x00\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00" + string(orientation) + "\x00\x00\x00\x00\x00\x00\x00",
		} {
			file := append([]byte("\xff\xd8\xff\xe1\x00"), byte(len(exif)+2))
			file = append(append(file, exif...), plain[2:]...)
			got, err := newMaker().Fit(t.Context(), org, file, 100, 100)
			if err != nil {
				t.Fatal(err)
			}
			size := image.Pt(100, 50)
			if orientation >= 5 && orientation <= 8 {
				size = image.Pt(50, 100)
			}
			alike(t, order, decoded(t, got, size.X, size.Y), want...)
		}
	}
}

// Only the pixels of a file are kept.
func TestNothingElseIsKept(t *testing.T) {
	t.Parallel()
	const secret = "<script>alert(1)</script>"
	jpegFile, pngFile := encodeJPEG(t, quarters(64, 64)), encodePNG(t, quarters(64, 64))
	gifFile := encodeGIF(t, animationOf(2, 64, 64))
	comment := append([]byte("\xff\xd8\xff\xfe\x00"), byte(len(secret)+2))
	for name, file := range map[string][]byte{
		"behind a PNG":  append(bytes.Clone(pngFile), secret...),
		"behind a GIF":  append(bytes.Clone(gifFile), secret...),
		"behind a JPEG": append(bytes.Clone(jpegFile), secret...),
		"in a JPEG":     append(append(comment, secret...), jpegFile[2:]...),
		"in a GIF":      bytes.Replace(gifFile, []byte("\x21\xf9"), append([]byte("\x21\xfe\x19"), secret+"\x00\x21\xf9"...), 1),
	} {
		squares, err := newMaker().Squares(t.Context(), org, file, 100)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		emoji, _, err := newMaker().Emoji(t.Context(), org, file)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if bytes.Contains(squares[0], []byte("script")) || bytes.Contains(emoji, []byte("script")) {
			t.Errorf("%s: it is still there", name)
		}
	}
}

func TestBusy(t *testing.T) {
	t.Parallel()
	maker := picture.NewMaker(1, 1, time.Minute)
	release := maker.Occupy(2)
	if _, err := maker.Squares(t.Context(), org, encodePNG(t, quarters(4, 4)), 100); !errors.Is(err, picture.ErrBusy) {
		t.Errorf("%v", err)
	}
	release()
	if _, err := maker.Squares(t.Context(), org, encodePNG(t, quarters(4, 4)), 100); err != nil {
		t.Error(err)
	}
}
