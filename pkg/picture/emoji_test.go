package picture_test

import (
	"bytes"
	"image"
	"image/color"
	"image/gif"
	"slices"
	"testing"
)

// animationOf returns an animation with the given number of frames. Each colors one more column.
func animationOf(frames, width, height int) *gif.GIF {
	g := &gif.GIF{LoopCount: 3, Config: image.Config{Width: width, Height: height}}
	palette := color.Palette{color.RGBA{}, red, green}
	for i := range frames {
		frame := image.NewPaletted(image.Rect(i, 0, i+1, height), palette)
		if i == 0 {
			frame = image.NewPaletted(image.Rect(0, 0, width, height), palette)
		}
		for j := range frame.Pix {
			frame.Pix[j] = uint8(1 + i%2)
		}
		g.Image, g.Delay, g.Disposal = append(g.Image, frame), append(g.Delay, 5+i%7), append(g.Disposal, gif.DisposalNone)
	}
	return g
}

func TestEmoji(t *testing.T) {
	t.Parallel()
	none := color.RGBA{}
	for _, test := range []struct {
		width, height int
		want          []color.Color
	}{
		{200, 200, []color.Color{red, green, blue, yellow}},
		{16, 16, []color.Color{red, green, blue, yellow}},
		{1000, 100, []color.Color{none, none, none, none}}, // above and below it
		{10, 100, []color.Color{none, none, none, none}},
	} {
		got, animated, err := newMaker().Emoji(t.Context(), org, encodePNG(t, quarters(test.width, test.height)))
		if err != nil || animated {
			t.Fatalf("%v: %v, animated %v", test, err, animated)
		}
		alike(t, "emoji", decoded(t, got, 64, 64), test.want...)
	}
	still, animated, err := newMaker().Emoji(t.Context(), org, encodeGIF(t, animationOf(1, 200, 200)))
	if err != nil || animated {
		t.Fatalf("a GIF of one frame: %v, animated %v", err, animated)
	}
	alike(t, "still", decoded(t, still, 64, 64), red, red, red, red)
}

// moving returns the emoji of an animation.
func moving(t *testing.T, src *gif.GIF) *gif.GIF {
	t.Helper()
	file, animated, err := newMaker().Emoji(t.Context(), org, encodeGIF(t, src))
	if err != nil || !animated {
		t.Fatalf("%v, animated %v", err, animated)
	}
	got, err := gif.DecodeAll(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Delay, src.Delay) || got.LoopCount != src.LoopCount || len(got.Image) != len(src.Image) {
		t.Errorf("%d frames, delays %v, loops %d", len(got.Image), got.Delay, got.LoopCount)
	}
	return got
}

func TestAnimatedEmoji(t *testing.T) {
	t.Parallel()
	small := animationOf(10, 128, 128)
	kept := moving(t, small)
	for i, frame := range kept.Image {
		if frame.Rect != small.Image[i].Rect || !bytes.Equal(frame.Pix, small.Image[i].Pix) {
			t.Errorf("frame %d of a small one isn't kept", i)
		}
	}
	for name, src := range map[string]*gif.GIF{"large": animationOf(10, 300, 300), "wide": animationOf(10, 128, 32)} {
		got := moving(t, src)
		if got.Config.Width != 64 || got.Config.Height != 64 {
			t.Errorf("%s: %d×%d", name, got.Config.Width, got.Config.Height)
		}
		alike(t, name, got.Image[9], map[bool][]color.Color{
			true: {red, red, red, red}, false: {color.RGBA{}, color.RGBA{}, color.RGBA{}, color.RGBA{}},
		}[name == "large"]...)
	}
}

// A frame that is disposed of isn't in the following frames.
func TestDisposal(t *testing.T) {
	t.Parallel()
	frame := func(at image.Rectangle, place uint8) *image.Paletted {
		f := image.NewPaletted(at, color.Palette{color.RGBA{}, red, green})
		for i := range f.Pix {
			f.Pix[i] = place
		}
		return f
	}
	all, left := image.Rect(0, 0, 200, 200), image.Rect(0, 0, 100, 200)
	got := moving(t, &gif.GIF{
		Image: []*image.Paletted{frame(all, 1), frame(left, 2), frame(left, 0), frame(left, 2), frame(left, 0)},
		Delay: make([]int, 5), LoopCount: -1, Config: image.Config{Width: 200, Height: 200},
		Disposal: []byte{gif.DisposalNone, gif.DisposalPrevious, gif.DisposalNone, gif.DisposalBackground, gif.DisposalNone},
	})
	none := color.RGBA{}
	for i, left := range []color.Color{red, green, red, green, none} {
		alike(t, "frame", got.Image[i], left, red, red, left)
	}
}

// If there are more colors than a frame can have, rare colors are replaced by similar ones.
func TestManyColors(t *testing.T) {
	t.Parallel()
	palette := color.Palette{}
	for i := range 256 {
		palette = append(palette, color.RGBA{R: uint8(i), G: uint8(255 - i), B: uint8(i * 7), A: 255})
	}
	g := &gif.GIF{Config: image.Config{Width: 256, Height: 256}}
	for range 2 {
		frame := image.NewPaletted(image.Rect(0, 0, 256, 256), palette)
		for i := range frame.Pix {
			frame.Pix[i] = uint8(i*31 + i/256)
		}
		g.Image, g.Delay, g.Disposal = append(g.Image, frame), append(g.Delay, 10), append(g.Disposal, gif.DisposalNone)
	}
	got := moving(t, g)
	for y := range 64 {
		for x := range 64 {
			if _, _, _, alpha := got.Image[0].At(x, y).RGBA(); alpha == 0 {
				t.Fatalf("(%d, %d) is transparent", x, y)
			}
		}
	}
}
