package picture

import (
	"cmp"
	"image"
	"image/color"
	"maps"
	"slices"
)

// maxColors is the maximum number of colors of a GIF frame besides the transparent one.
const maxColors = 255

// shade is a color with five bits per channel.
type shade [3]uint8

// paletted returns a picture with its most frequent colors. Pixels that are more than half transparent become fully
// transparent.
func paletted(picture *image.RGBA) *image.Paletted {
	type tally struct{ pixels, red, green, blue int }
	shades, count := make([]shade, picture.Rect.Dx()*picture.Rect.Dy()), map[shade]*tally{}
	for i := range shades {
		c, ok := color.NRGBAModel.Convert(picture.RGBAAt(i%picture.Rect.Dx(), i/picture.Rect.Dx())).(color.NRGBA)
		if !ok || c.A < 128 {
			continue
		}
		shades[i] = shade{c.R>>3 + 1, c.G >> 3, c.B >> 3} // adding 1 distinguishes them from the zero value, which is transparent
		t := count[shades[i]]
		if t == nil {
			t = &tally{}
			count[shades[i]] = t
		}
		t.pixels, t.red, t.green, t.blue = t.pixels+1, t.red+int(c.R), t.green+int(c.G), t.blue+int(c.B)
	}
	ordered := slices.SortedFunc(maps.Keys(count), func(a, b shade) int {
		return cmp.Or(count[b].pixels-count[a].pixels, slices.Compare(a[:], b[:]))
	})
	mean := func(t *tally) color.Color {
		return color.RGBA{R: uint8(t.red / t.pixels), G: uint8(t.green / t.pixels), B: uint8(t.blue / t.pixels), A: 255}
	}
	palette := color.Palette{color.RGBA{}}
	for _, s := range ordered[:min(maxColors, len(ordered))] {
		palette = append(palette, mean(count[s]))
	}
	places := map[shade]uint8{{}: 0}
	for i, s := range ordered {
		place := i + 1
		if i >= maxColors {
			place = 1 + palette[1:].Index(mean(count[s]))
		}
		places[s] = uint8(place)
	}
	out := image.NewPaletted(picture.Rect, palette)
	for i, s := range shades {
		out.Pix[i] = places[s]
	}
	return out
}
