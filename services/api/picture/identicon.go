package picture

import (
	"bytes"
	"compress/zlib"
	"crypto/sha256"
	"encoding/binary"
	"hash/crc32"
	"image/color"
	"math"
	"slices"
	"sync"
)

// cells is the number of squares of a picture in each direction, including the margin around the pattern.
const cells = 6

// pattern is the number of squares of the pattern in each direction.
const pattern = cells - 1

// Drawer draws pictures for accounts and organizations without one: a symmetric pattern that depends only on the name,
// and differs for nearly all names. The zero value is ready to use, and safe for concurrent use.
type Drawer struct {
	compressors sync.Pool // of *zlib.Writer, whose memory is a thousand times the size of a picture
}

// PNG returns the picture of a name, size pixels wide and high. The pattern is recognizable if size is at least 12.
// Anybody can request pictures, so they aren't encoded by package png, which takes ten times as long.
func (d *Drawer) PNG(name string, size int) []byte {
	sum := sha256.Sum256([]byte(name))
	filled := [pattern][pattern]bool{}
	for row := range pattern {
		for column := range (pattern + 1) / 2 {
			on := sum[2+row*pattern+column]&1 == 1
			filled[row][column], filled[row][pattern-1-column] = on, on
		}
	}
	const bits, palette = 1, 3
	side := binary.BigEndian.AppendUint32(nil, uint32(size))
	on := hue(float64(uint16(sum[0])<<8|uint16(sum[1])) / 65536)
	out := bytes.NewBufferString("\x89PNG\r\n\x1a\n")
	chunk(out, "IHDR", slices.Concat(side, side, []byte{bits, palette, 0, 0, 0}))
	chunk(out, "PLTE", []byte{0xf3, 0xf3, 0xf3, on.R, on.G, on.B})
	chunk(out, "IDAT", d.compressed(filled, size))
	chunk(out, "IEND", nil)
	return out.Bytes()
}

// compressed returns the pixels of a pattern, a bit each.
func (d *Drawer) compressed(filled [pattern][pattern]bool, size int) []byte {
	cell := func(at int) int { return (2*cells*at/size - 1) >> 1 } // the margin is half a cell on each side
	margin := make([]byte, 1+(size+7)/8)                           // a line begins with the number of its filter, 0
	lines := [pattern][]byte{}
	for row := range pattern {
		lines[row] = slices.Clone(margin)
		for x := range size {
			if column := cell(x); column >= 0 && column < pattern && filled[row][column] {
				lines[row][1+x/8] |= 0x80 >> (x % 8)
			}
		}
	}
	out := bytes.Buffer{}
	compressor, ok := d.compressors.Get().(*zlib.Writer)
	if !ok {
		compressor = zlib.NewWriter(nil)
	}
	defer d.compressors.Put(compressor)
	compressor.Reset(&out)
	for y := range size {
		line := margin
		if row := cell(y); row >= 0 && row < pattern {
			line = lines[row]
		}
		_, _ = compressor.Write(line) // to memory
	}
	_ = compressor.Close() // as above
	return out.Bytes()
}

// chunk writes a part of a PNG.
func chunk(out *bytes.Buffer, kind string, content []byte) {
	part := append(binary.BigEndian.AppendUint32(nil, uint32(len(content))), kind...)
	part = append(part, content...)
	out.Write(binary.BigEndian.AppendUint32(part, crc32.ChecksumIEEE(part[4:])))
}

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
