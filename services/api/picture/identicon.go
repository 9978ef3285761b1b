package picture

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"sync"
)

// cells is the number of squares of a picture in each direction, including the margin around the pattern.
const cells = 6

// pattern is the number of squares of the pattern in each direction.
const pattern = cells - 1

// Drawer draws pictures for accounts and organizations without one: a symmetric pattern that depends only on the name,
// and differs for nearly all names. The zero value is ready to use, and safe for concurrent use.
type Drawer struct{ buffers buffers }

// PNG returns the picture of a name, size pixels wide and high. The pattern is recognizable if size is at least 12.
func (d *Drawer) PNG(name string, size int) ([]byte, error) {
	sum := sha256.Sum256([]byte(name))
	drawn := image.NewPaletted(image.Rect(0, 0, size, size), color.Palette{
		color.RGBA{R: 0xf3, G: 0xf3, B: 0xf3, A: 0xff},
		hue(float64(uint16(sum[0])<<8|uint16(sum[1])) / 65536),
	})
	filled := [pattern][pattern]bool{}
	for row := range pattern {
		for column := range (pattern + 1) / 2 {
			on := sum[2+row*pattern+column]&1 == 1
			filled[row][column], filled[row][pattern-1-column] = on, on
		}
	}
	for y := range size {
		for x := range size {
			// The margin is half a cell on each side.
			row, column := (2*cells*y/size-1)>>1, (2*cells*x/size-1)>>1
			if row >= 0 && row < pattern && column >= 0 && column < pattern && filled[row][column] {
				drawn.Pix[y*drawn.Stride+x] = 1
			}
		}
	}
	out := bytes.Buffer{}
	encoder := png.Encoder{BufferPool: &d.buffers}
	if err := encoder.Encode(&out, drawn); err != nil {
		return nil, fmt.Errorf("encode identicon: %w", err)
	}
	return out.Bytes(), nil
}

// buffers reuses the memory of encoders, which is a thousand times the size of a picture.
type buffers struct{ pool sync.Pool }

// Get returns a buffer, or nil, so that the encoder allocates its own.
func (b *buffers) Get() *png.EncoderBuffer {
	buffer, _ := b.pool.Get().(*png.EncoderBuffer)
	return buffer
}

// Put stores a buffer for reuse.
func (b *buffers) Put(buffer *png.EncoderBuffer) { b.pool.Put(buffer) }

// hue returns a colour of the wheel, from 0 to 1, that is neither pale nor dark.
func hue(at float64) color.RGBA {
	const saturation, lightness = 0.5, 0.55
	channel := func(n float64) uint8 {
		k := math.Mod(n+12*at, 12)
		a := saturation * min(lightness, 1-lightness)
		return uint8(math.Round(255 * (lightness - a*max(-1, min(k-3, 9-k, 1)))))
	}
	return color.RGBA{R: channel(0), G: channel(8), B: channel(4), A: 0xff}
}
