package picture

import (
	"bytes"
	"context"
	"image"
	"image/gif"

	"golang.org/x/image/draw"

	"chatserver.dev/pkg/id"
)

// Sides and size of emoji (rest-api.md, section 5.6).
const (
	emojiSide    = 64
	maxKeptSide  = 128       // of an animation that isn't resized
	maxKeptBytes = 128 << 10 // of its file
)

// drawnBytes is the memory per pixel, apart from frames, of an animation that is resized: four bytes for what is seen, and four for
// what was seen before a frame that is taken away again.
const drawnBytes = 8

// Emoji returns an image as a square emoji: a PNG or, if the image is animated, a GIF. It contains all of the image,
// and the rest is transparent. It fails with the errors of [Maker.Squares].
func (m *Maker) Emoji(ctx context.Context, of id.Org, file []byte) (picture []byte, animated bool, err error) {
	err = m.inTurn(ctx, of, func(ctx context.Context) error {
		if count, whole := frames(file); count > 1 {
			if !whole && count <= maxFrames {
				return ErrNoImage
			}
			animated = true
			picture, err = animation(ctx, file, count)
			return err
		}
		src, err := decode(ctx, file)
		if err != nil {
			return err
		}
		whole, err := src.scaled(ctx, src.Bounds(), within(src.size(), image.Pt(emojiSide, emojiSide)))
		if err != nil {
			return err
		}
		picture, err = encode(centered(whole))
		return err
	})
	return picture, animated, err
}

// animation returns an animated emoji. It resizes an animation only if it is too large.
func animation(ctx context.Context, file []byte, count int) ([]byte, error) {
	config, err := gif.DecodeConfig(bytes.NewReader(file))
	if err != nil {
		return nil, ErrNoImage.Wrap(err)
	}
	// Frames are within the image, and have a byte per pixel. See [resized] for drawnBytes.
	if err := bounded(config, int64(count+drawnBytes)*pixels(config)); err != nil {
		return nil, err
	}
	if count > maxFrames {
		return nil, ErrLarge
	}
	all, err := gif.DecodeAll(reader{ctx, bytes.NewReader(file)})
	if err != nil {
		return nil, undecodable(ctx, err)
	}
	if config.Width != config.Height || config.Width > maxKeptSide || len(file) > maxKeptBytes {
		if all, err = resized(ctx, all); err != nil {
			return nil, err
		}
	}
	out := bytes.Buffer{}
	if err := gif.EncodeAll(&out, all); err != nil {
		return nil, ErrNoImage.Wrap(err)
	}
	return out.Bytes(), nil
}

// resized returns an animation in the size of emoji. Each frame becomes a whole picture, as browsers show it.
func resized(ctx context.Context, g *gif.GIF) (*gif.GIF, error) {
	out := &gif.GIF{
		Delay: g.Delay, LoopCount: g.LoopCount, Disposal: bytes.Repeat([]byte{gif.DisposalBackground}, len(g.Image)),
		Config: image.Config{Width: emojiSide, Height: emojiSide},
	}
	seen := image.NewRGBA(image.Rect(0, 0, g.Config.Width, g.Config.Height))
	size := within(seen.Rect.Size(), image.Pt(emojiSide, emojiSide))
	for i, frame := range g.Image {
		before := []uint8(nil)
		if g.Disposal[i] == gif.DisposalPrevious {
			before = bytes.Clone(seen.Pix)
		}
		draw.Draw(seen, frame.Rect, frame, frame.Rect.Min, draw.Over)
		small, err := source{seen, upright}.scaled(ctx, seen.Rect, size)
		if err != nil {
			return nil, err
		}
		out.Image = append(out.Image, paletted(centered(small)))
		switch g.Disposal[i] {
		case gif.DisposalPrevious:
			seen.Pix = before
		case gif.DisposalBackground:
			draw.Draw(seen, frame.Rect, image.Transparent, image.Point{}, draw.Src)
		}
	}
	return out, nil
}

// centered returns a picture in the center of a transparent square, as large as emoji are.
func centered(picture *image.RGBA) *image.RGBA {
	size, whole := picture.Bounds().Size(), image.Pt(emojiSide, emojiSide)
	if size == whole {
		return picture
	}
	square := image.NewRGBA(image.Rectangle{Max: whole})
	draw.Copy(square, whole.Sub(size).Div(2), picture, picture.Bounds(), draw.Src, nil)
	return square
}
