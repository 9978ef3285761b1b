package picture

import (
	"bytes"
	"context"
	"image"
	"image/jpeg"
)

// thumbnailQuality is that of thumbnails which are JPEG, of 100.
const thumbnailQuality = 80

// Thumbnail returns a whole image in at most the given size in pixels, and its media type: JPEG, or PNG if something of it is
// transparent. It isn't enlarged. read returns the image's file, and isn't called before it is the caller's turn, so those who
// wait hold nothing in memory. It fails as [Maker.Squares] does, and as read does.
func (m *Maker) Thumbnail(ctx context.Context, read func(ctx context.Context) ([]byte, error), width, height int) (picture []byte, mediaType string, err error) {
	err = m.inTurn(ctx, func(ctx context.Context) error {
		file, err := read(ctx)
		if err != nil {
			return err
		}
		src, err := decode(ctx, file)
		if err != nil {
			return err
		}
		whole, err := src.fitted(ctx, image.Pt(width, height))
		if err != nil {
			return err
		}
		if !whole.Opaque() {
			picture, err = encode(whole)
			mediaType = "image/png"
			return err
		}
		out := bytes.Buffer{}
		err = jpeg.Encode(&out, whole, &jpeg.Options{Quality: thumbnailQuality})
		picture, mediaType = out.Bytes(), "image/jpeg"
		return err
	})
	return picture, mediaType, err
}
