package demo

import (
	"image"
	"image/color"
)

// disc is an ellipse of a picture.
type disc struct {
	x, y, wide, high float64 // its centre, and half its width and height
	is               color.RGBA
}

func (d disc) has(x, y int) bool {
	dx, dy := (float64(x)-d.x)/d.wide, (float64(y)-d.y)/d.high
	return dx*dx+dy*dy <= 1
}

// portrait draws a person, who depends on a number.
func portrait(number int) image.Image {
	const side = 192
	skins := []color.RGBA{{0xf2, 0xc9, 0xa5, 0xff}, {0x8d, 0x5a, 0x3b, 0xff}, {0xe0, 0xac, 0x7d, 0xff}, {0xc6, 0x86, 0x5c, 0xff}}
	grounds := []color.RGBA{{0x2f, 0x6f, 0x5e, 0xff}, {0x3d, 0x5a, 0x80, 0xff}, {0xe0, 0xa4, 0x58, 0xff}, {0x7a, 0x4f, 0x8a, 0xff}, {0x9c, 0xb4, 0xcc, 0xff}, {0xb8, 0x5c, 0x50, 0xff}, {0x55, 0x6b, 0x2f, 0xff}, {0x45, 0x55, 0x60, 0xff}}
	hairs := []color.RGBA{{0x3a, 0x2a, 0x20, 0xff}, {0x18, 0x18, 0x18, 0xff}, {0xa8, 0x4a, 0x22, 0xff}, {0xd9, 0xb4, 0x5c, 0xff}, {0xd8, 0xd8, 0xd4, 0xff}}
	shirts := []color.RGBA{{0xf5, 0xf0, 0xe1, 0xff}, {0xf2, 0xb1, 0x34, 0xff}, {0x1f, 0x3a, 0x5f, 0xff}}
	skin, hair := skins[number%len(skins)], hairs[(number*3+1)%len(hairs)]
	return draw(side, side, grounds[number%len(grounds)], []disc{
		{96, 78, 50, float64(56 + number%3*14), hair},
		{96, 190, 74, 58, shirts[number%len(shirts)]},
		{96, 130, 17, 30, skin},
		{96, 88, 39, 47, skin},
		{float64(84 + number%4*8), 46, 42, 19, hair},
		{80, 88, 4, 5, hairs[1]},
		{112, 88, 4, 5, hairs[1]},
		{96, 112, 13, 4, color.RGBA{0xa0, 0x3c, 0x3c, 0xff}},
	})
}

// evening draws the sun behind a crane, over the sea.
func evening() image.Image {
	const wide, high, horizon = 640, 400, 270
	picture := draw(wide, high, color.RGBA{}, nil)
	sun, iron := disc{430, 215, 60, 60, color.RGBA{0xff, 0xe2, 0x9a, 0xff}}, color.RGBA{0x24, 0x1c, 0x2c, 0xff}
	for y := range high {
		for x := range wide {
			share := uint8(min(y, horizon) * 150 / horizon)
			at := color.RGBA{0x50 + share, 0x38 + share/2, 0x70 - share/4, 0xff}
			switch {
			case y >= horizon && (y/6+x/90)%3 == 0 && x > 330 && x < 530:
				at = color.RGBA{0xf0, 0xb0, 0x70, 0xff}
			case y >= horizon:
				at = color.RGBA{0x30, 0x34, 0x58 + uint8((y-horizon)/8), 0xff}
			case sun.has(x, y):
				at = sun.is
			}
			mast := x >= 180 && x < 190 && y > 70
			arm := y >= 92 && y < 100 && x > 110 && x < 400
			rope := x >= 360 && x < 363 && y >= 100 && y < 210
			load := x >= 340 && x < 383 && y >= 210 && y < 232
			stay := x > 184 && x < 360 && y-70 >= (x-184)/8 && y-70 < (x-184)/8+3
			if mast || arm || rope || load || stay || y > 352 && x < 300 {
				at = iron
			}
			picture.SetRGBA(x, y, at)
		}
	}
	return picture
}

// draw draws discs on a background.
func draw(wide, high int, ground color.RGBA, discs []disc) *image.RGBA {
	picture := image.NewRGBA(image.Rect(0, 0, wide, high))
	for y := range high {
		for x := range wide {
			at := ground
			for _, d := range discs {
				if d.has(x, y) {
					at = d.is
				}
			}
			picture.SetRGBA(x, y, at)
		}
	}
	return picture
}
