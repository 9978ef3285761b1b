package picture

import (
	"bytes"
	"encoding/binary"
	"image"
)

// orientation is the orientation of an image as an EXIF number: 1 is upright, 2 to 8 are mirrored or rotated.
type orientation uint16

const (
	upright   orientation = 1
	last      orientation = 8
	sideways  orientation = 5 // in this one and those above, width and height are swapped
	tagNumber             = 0x0112
	typeShort             = 3
)

// turned returns a size after applying the orientation.
func (o orientation) turned(size image.Point) image.Point {
	if o < sideways {
		return size
	}
	return image.Pt(size.Y, size.X)
}

// upright returns a picture with the orientation applied.
func (o orientation) upright(picture *image.RGBA) *image.RGBA {
	if o == upright {
		return picture
	}
	size := picture.Bounds().Size()
	right, bottom := size.X-1, size.Y-1
	from := [...]func(x, y int) (int, int){
		2: func(x, y int) (int, int) { return right - x, y },
		3: func(x, y int) (int, int) { return right - x, bottom - y },
		4: func(x, y int) (int, int) { return x, bottom - y },
		5: func(x, y int) (int, int) { return y, x },
		6: func(x, y int) (int, int) { return y, bottom - x },
		7: func(x, y int) (int, int) { return right - y, bottom - x },
		8: func(x, y int) (int, int) { return right - y, x },
	}[o]
	out := image.NewRGBA(image.Rectangle{Max: o.turned(size)})
	for y := range out.Rect.Dy() {
		for x := range out.Rect.Dx() {
			out.SetRGBA(x, y, picture.RGBAAt(from(x, y)))
		}
	}
	return out
}

// orientationOf returns the orientation in a block of EXIF data: a TIFF file with the orientation in its first
// directory. It returns upright if it can't parse the data.
func orientationOf(exif []byte) orientation {
	tiff, ok := bytes.CutPrefix(exif, []byte("Exif\x00\x00"))
	if !ok || len(tiff) < 8 {
		return upright
	}
	order := binary.ByteOrder(binary.BigEndian)
	if tiff[0] == 'I' {
		order = binary.LittleEndian
	}
	at := int64(order.Uint32(tiff[4:]))
	if at+2 > int64(len(tiff)) {
		return upright
	}
	const entrySize = 12
	entries := tiff[at+2:]
	for range order.Uint16(tiff[at:]) {
		if len(entries) < entrySize {
			break
		}
		if order.Uint16(entries) == tagNumber && order.Uint16(entries[2:]) == typeShort {
			if o := orientation(order.Uint16(entries[8:])); o >= upright && o <= last {
				return o
			}
			break
		}
		entries = entries[entrySize:]
	}
	return upright
}
