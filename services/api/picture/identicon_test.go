package picture_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"testing"
	"time"

	"chatserver.dev/pkg/avatar"
	"chatserver.dev/services/api/picture"
)

func draw(t *testing.T, name string, size int) (image.Image, []byte) {
	t.Helper()
	encoded := (&picture.Drawer{}).PNG(name, size)
	drawn, err := png.Decode(bytes.NewReader(encoded))
	if err != nil {
		t.Fatal(err)
	}
	if got := drawn.Bounds(); got != image.Rect(0, 0, size, size) {
		t.Errorf("bounds %v", got)
	}
	return drawn, encoded
}

func TestSameNameSamePicture(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for n := range 200 {
		name := fmt.Sprint("user", n)
		_, first := draw(t, name, 60)
		_, again := draw(t, name, 60)
		if !bytes.Equal(first, again) {
			t.Errorf("%s has two pictures", name)
		}
		if other, ok := seen[string(first)]; ok {
			t.Errorf("%s and %s look the same", name, other)
		}
		seen[string(first)] = name
	}
}

func TestPictureIsSymmetricWithMargin(t *testing.T) {
	t.Parallel()
	for _, size := range []int{60, 100, 500} {
		filled := 0
		for n := range 20 {
			picture, _ := draw(t, fmt.Sprint("user", n), size)
			background := picture.At(0, 0)
			margin := size/12 - 1
			for y := range size {
				for x := range size / 2 {
					left, right := picture.At(x, y), picture.At(size-1-x, y)
					// With sizes that aren't multiples of the cells, positions may be a pixel off.
					if size%12 == 0 && left != right {
						t.Fatalf("size %d: (%d, %d) isn't symmetric", size, x, y)
					}
					if (x < margin || y < margin || y >= size-margin) && left != background {
						t.Fatalf("size %d: (%d, %d) is in the margin", size, x, y)
					}
					if left != background {
						filled++
						checkReadable(t, left)
					}
				}
			}
		}
		if share := float64(filled) / float64(20*size*size/2); share < 0.2 || share > 0.6 {
			t.Errorf("size %d: %.2f of the pictures is filled", size, share)
		}
	}
}

// checkReadable checks that a color contrasts with the background.
func checkReadable(t *testing.T, c color.Color) {
	t.Helper()
	if y := color.GrayModel.Convert(c).(color.Gray).Y; y < 60 || y > 200 {
		t.Fatalf("%v has lightness %d", c, y)
	}
}

// Anybody can request pictures, as many as they like, so a large one costs little: far less than package png takes for it.
func TestLargePicturesAreCheap(t *testing.T) {
	t.Parallel()
	drawer := &picture.Drawer{}
	plain := image.NewPaletted(image.Rect(0, 0, avatar.Medium, avatar.Medium), color.Palette{color.Black, color.White})
	fastest := func(do func()) time.Duration {
		least := time.Hour
		for range 20 {
			begin := time.Now()
			do()
			least = min(least, time.Since(begin))
		}
		return least
	}
	drawn, encoded := fastest(func() { drawer.PNG("user7", avatar.Medium) }), fastest(func() { _ = png.Encode(&bytes.Buffer{}, plain) })
	if drawn > encoded/3 {
		t.Errorf("a picture takes %v, and package png %v", drawn, encoded)
	}
}

func BenchmarkPNG(b *testing.B) {
	drawer := &picture.Drawer{}
	b.ReportAllocs()
	for b.Loop() {
		drawer.PNG("user7", avatar.Medium)
	}
}
