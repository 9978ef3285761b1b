package picture_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"chatserver.dev/pkg/picture"
)

const secret = "54.32N 13.09E"

// segment returns a segment of a JPEG.
func segment(mark byte, content string) string {
	return string(binary.BigEndian.AppendUint16([]byte{0xff, mark}, uint16(2+len(content)))) + content
}

// chunk returns a chunk of a PNG.
func chunk(kind, content string) string {
	sum := crc32.ChecksumIEEE([]byte(kind + content))
	return string(binary.BigEndian.AppendUint32(nil, uint32(len(content)))) + kind + content + string(binary.BigEndian.AppendUint32(nil, sum))
}

// exif returns an EXIF segment with the orientation of an image and the place where it was taken.
func exif(turned byte) string {
	return "Exif\x00\x00MM\x00\x2a\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00" + string([]byte{turned}) + "\x00\x00\x00\x00\x00\x00" + secret
}

func stripped(t testing.TB, file string) string {
	t.Helper()
	out, err := io.ReadAll(picture.WithoutMetadata(strings.NewReader(file)))
	if err != nil {
		t.Fatal(err)
	}
	slow, err := io.ReadAll(iotest.OneByteReader(picture.WithoutMetadata(iotest.OneByteReader(strings.NewReader(file)))))
	if err != nil || !bytes.Equal(out, slow) {
		t.Errorf("reading byte by byte has another result: %v", err)
	}
	return string(out)
}

// A photo keeps its pixels, colors and orientation, and nothing else.
func TestJPEGWithoutMetadata(t *testing.T) {
	t.Parallel()
	photo := string(encodeJPEG(t, quarters(300, 200)))
	profile := segment(0xe2, "ICC_PROFILE\x00\x01\x01profile")
	file := photo[:2] + segment(0xe0, "JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00") + segment(0xe1, "http://ns.adobe.com/xap/1.0/\x00"+secret) +
		segment(0xe1, exif(6)) + segment(0xe1, exif(3)) + profile + segment(0xe2, "MPF\x00"+secret) + segment(0xed, "Photoshop 3.0\x00"+secret) +
		segment(0xfe, secret) + photo[2:] + secret + photo
	got := stripped(t, file)
	if strings.Contains(got, secret) || !strings.Contains(got, profile) || !strings.HasSuffix(photo, got[len(got)-500:]) {
		t.Errorf("%d bytes of %d", len(got), len(file))
	}
	if strings.Count(got, "Exif") != 1 || strings.Count(got, "\xff\xd9") != strings.Count(photo, "\xff\xd9") {
		t.Error("it contains metadata, or lacks required parts")
	}
	fitted, err := newMaker().Fit(t.Context(), org, []byte(got), 1000, 1000)
	if err != nil {
		t.Fatal(err)
	}
	if config, err := png.DecodeConfig(bytes.NewReader(fitted)); err != nil || config.Width != 200 || config.Height != 300 {
		t.Errorf("the orientation has changed: %v, %v", config, err)
	}
	same(t, []byte(file), []byte(got))
	if got := stripped(t, photo[:2]+segment(0xe1, exif(1))+photo[2:]); got != photo {
		t.Error("an upright photo keeps its EXIF")
	}
	if again := stripped(t, got); again != got {
		t.Error("a file without metadata was changed")
	}
}

// same fails the test unless two files have the same pixels.
func same(t *testing.T, a, b []byte) {
	t.Helper()
	images := [2]image.Image{}
	for i, file := range [][]byte{a, b} {
		var err error
		if images[i], _, err = image.Decode(bytes.NewReader(file)); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(encodePNG(t, images[0]), encodePNG(t, images[1])) {
		t.Error("the pixels differ")
	}
}

func TestPNGWithoutMetadata(t *testing.T) {
	t.Parallel()
	plain := string(encodePNG(t, quarters(300, 200)))
	at := len("\x89PNG\r\n\x1a\n") + 25 // after IHDR
	colors := chunk("gAMA", "\x00\x00\xb1\x8f")
	file := plain[:at] + chunk("eXIf", exif(6)) + chunk("tEXt", "Comment\x00"+secret) + chunk("iTXt", secret) + chunk("zTXt", secret) + chunk("tIME", "1234567") +
		colors + plain[at:] + secret
	if got := stripped(t, file); got != plain[:at]+colors+plain[at:] {
		t.Errorf("%d bytes of %d", len(got), len(file))
	}
	if got := stripped(t, plain); got != plain {
		t.Error("a file without metadata was changed")
	}
}

// A file that isn't an image, or is an incomplete one, is returned unchanged, and so are errors of reading.
func TestOthersKeepAll(t *testing.T) {
	t.Parallel()
	photo, plain := string(encodeJPEG(t, quarters(300, 200))), string(encodePNG(t, quarters(300, 200)))
	for what, file := range map[string]string{
		"nothing": "", "a text": "text " + secret, "a GIF": "GIF89a" + secret, "no JPEG": "\xff\xd8\xffmore", "no PNG": "\x89PNG\r\n\x1a\nmore", "short": "\xff\xd8\xff",
		"half a JPEG": photo[:len(photo)/2], "half a PNG": plain[:len(plain)/2], "half a segment": photo[:2] + segment(0xe1, exif(6))[:20], "odd marks": "\xff\xd8\xff\x01\x00\x02more",
		"padding": photo[:2] + "\xff\xff\xff" + photo[2:], "a progressive one": progressive(t),
	} {
		if got := stripped(t, file); got != file {
			t.Errorf("%s has become %.80q", what, got)
		}
	}
	gone := errors.New("gone")
	for what, file := range map[string]string{
		"nothing": "", "a text": "text", "in a JPEG": photo[:700], "in a scan": photo[:len(photo)-10], "behind a JPEG": photo, "in a PNG": plain[:100], "behind a PNG": plain + "x",
		"in a segment": photo[:2] + segment(0xe1, exif(6))[:20], "in what is left out": plain[:33] + chunk("tEXt", secret)[:14],
	} {
		if _, err := io.ReadAll(picture.WithoutMetadata(io.MultiReader(strings.NewReader(file), iotest.ErrReader(gone)))); !errors.Is(err, gone) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// progressive returns a JPEG with several empty scans.
func progressive(t *testing.T) string {
	t.Helper()
	photo := string(encodeJPEG(t, quarters(64, 64)))
	scan := segment(0xda, "\x01\x01\x00\x00\x00\x00") + "pixels\xff\x00\xff\xd0more"
	return strings.TrimSuffix(photo, "\xff\xd9") + segment(0xc4, "table") + scan + scan + "\xff\xd9"
}

// Reading any file ends, and doesn't make it longer.
func TestAnyFileWithoutMetadata(t *testing.T) {
	t.Parallel()
	photo, plain := string(encodeJPEG(t, quarters(30, 20))), string(encodePNG(t, quarters(30, 20)))
	rapid.Check(t, func(r *rapid.T) {
		file := []byte(rapid.SampledFrom([]string{photo, plain, photo[:2] + segment(0xe1, exif(6)) + photo[2:]}).Draw(r, "file"))
		for range rapid.IntRange(0, 20).Draw(r, "changes") {
			file[rapid.IntRange(0, len(file)-1).Draw(r, "at")] = rapid.SampledFrom([]byte{0, 0xff, 0xda, 0xd9, 0xe1, 7}).Draw(r, "byte")
		}
		got, err := io.ReadAll(picture.WithoutMetadata(bytes.NewReader(file)))
		if err != nil || len(got) > len(file) {
			r.Errorf("%d bytes of %d: %v", len(got), len(file), err)
		}
		if _, failed := jpeg.Decode(bytes.NewReader(file)); failed == nil {
			if _, err := jpeg.Decode(bytes.NewReader(got)); err != nil {
				r.Errorf("it was a JPEG: %v", err)
			}
		}
	})
}

// Without its metadata, an image has the same pixels, and nothing is added to a file.
func FuzzWithoutMetadata(f *testing.F) {
	photo, drawing := string(encodeJPEG(f, quarters(9, 7))), string(encodePNG(f, quarters(9, 7)))
	for _, file := range []string{
		photo, drawing, photo[:2] + segment(0xe1, exif(6)) + segment(0xfe, secret) + photo[2:] + secret,
		drawing[:33] + chunk("tEXt", secret) + chunk("eXIf", secret) + drawing[33:] + secret, "\xff\xd8\xff\xff\xe1\x00\x02\xff\xd9",
	} {
		f.Add([]byte(file))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		got := stripped(t, string(file))
		if len(got) > len(file) {
			t.Errorf("%d bytes have become %d", len(file), len(got))
		}
		if about, _, err := image.DecodeConfig(bytes.NewReader(file)); err != nil || about.Width*about.Height > 1<<16 {
			return
		}
		before, kind, err := image.Decode(bytes.NewReader(file))
		if err != nil {
			return
		}
		after, _, err := image.Decode(strings.NewReader(got))
		if err != nil || !before.Bounds().Eq(after.Bounds()) {
			t.Fatalf("%s: %v", kind, err)
		}
		for y := before.Bounds().Min.Y; y < before.Bounds().Max.Y; y++ {
			for x := before.Bounds().Min.X; x < before.Bounds().Max.X; x++ {
				if before.At(x, y) != after.At(x, y) {
					t.Fatalf("%s: another color at %d, %d", kind, x, y)
				}
			}
		}
	})
}
