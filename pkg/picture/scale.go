package picture

import (
	"context"
	"image"

	"golang.org/x/image/draw"
)

// source is a decoded image with the orientation of its file.
type source struct {
	image.Image
	orientation orientation
}

// size returns the size of the upright image.
func (s source) size() image.Point { return s.orientation.turned(s.Bounds().Size()) }

// scaled returns a part of the image upright and in the given size. part refers to the image before turning.
func (s source) scaled(ctx context.Context, part image.Rectangle, size image.Point) (*image.RGBA, error) {
	size = s.orientation.turned(size) // turning twice has no effect
	average, err := averaged(ctx, s.Image, part, size)
	if err != nil {
		return nil, err
	}
	out := image.NewRGBA(image.Rectangle{Max: size})
	draw.CatmullRom.Scale(out, out.Bounds(), average, average.Bounds(), draw.Src, nil)
	return s.orientation.upright(out), nil
}

// fitted returns the whole image, upright and scaled down to at most the given size.
func (s source) fitted(ctx context.Context, bounds image.Point) (*image.RGBA, error) {
	size := s.size()
	if size.X > bounds.X || size.Y > bounds.Y {
		size = within(size, bounds)
	}
	return s.scaled(ctx, s.Bounds(), size)
}

// averaged returns a part of an image in at least twice the given size, or in its own size if that is less. Each
// pixel is the average of a block of pixels. Unlike a filter for any size, this needs no memory for each row of the
// source. Incomplete blocks at the right and at the bottom, which are less than a pixel of the given size, are left
// out.
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

// average writes a row of pixels. Each is the average of a block of pixels in rows.
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
