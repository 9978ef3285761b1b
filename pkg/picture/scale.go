package picture

import (
	"context"
	"image"

	"golang.org/x/image/draw"
)

// source is a decoded image with the orientation that its file asks for.
type source struct {
	image.Image
	orientation orientation
}

// size is that of the upright image.
func (s source) size() image.Point { return s.orientation.turned(s.Bounds().Size()) }

// scaled returns a part of the image, whose place is as it was decoded, upright and in the given size.
func (s source) scaled(ctx context.Context, part image.Rectangle, size image.Point) (*image.RGBA, error) {
	size = s.orientation.turned(size) // its own inverse
	average, err := averaged(ctx, s.Image, part, size)
	if err != nil {
		return nil, err
	}
	out := image.NewRGBA(image.Rectangle{Max: size})
	draw.CatmullRom.Scale(out, out.Bounds(), average, average.Bounds(), draw.Src, nil)
	return s.orientation.upright(out), nil
}

// fitted returns the whole image, upright and within a size: it isn't enlarged.
func (s source) fitted(ctx context.Context, most image.Point) (*image.RGBA, error) {
	size := s.size()
	if size.X > most.X || size.Y > most.Y {
		size = within(size, most)
	}
	return s.scaled(ctx, s.Bounds(), size)
}

// averaged returns a part of an image in at least twice the size, or at least in the size that it has: each pixel is the
// average of a block of pixels. A filter for any size needs memory for each row of what it reads, and this doesn't. What
// is less than a block at the right and at the bottom is left out, which is less than a pixel of what is wanted.
func averaged(ctx context.Context, src image.Image, part image.Rectangle, size image.Point) (*image.RGBA, error) {
	block := image.Pt(max(1, part.Dx()/(2*size.X)), max(1, part.Dy()/(2*size.Y)))
	out := image.NewRGBA(image.Rect(0, 0, part.Dx()/block.X, part.Dy()/block.Y))
	rows := image.NewRGBA(image.Rect(0, 0, out.Rect.Dx()*block.X, block.Y))
	for y := range out.Rect.Dy() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		draw.Draw(rows, rows.Rect, src, part.Min.Add(image.Pt(0, y*block.Y)), draw.Src)
		average(out.Pix[y*out.Stride:], rows, block)
	}
	return out, nil
}

// average writes a row of pixels, of which each is the average of a block of all the rows.
func average(into []uint8, rows *image.RGBA, block image.Point) {
	count := uint32(block.X * block.Y) // both are at most maxSide
	for x := range rows.Rect.Dx() / block.X {
		sum := [4]uint32{}
		for y := range block.Y {
			from := y*rows.Stride + 4*x*block.X
			for pixel := range block.X {
				at := from + 4*pixel
				for channel, value := range rows.Pix[at : at+4 : at+4] {
					sum[channel] += uint32(value)
				}
			}
		}
		for channel, value := range sum {
			into[4*x+channel] = uint8((value + count/2) / count)
		}
	}
}
