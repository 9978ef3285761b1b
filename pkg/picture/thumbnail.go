package picture

import (
	"bytes"
	"context"
	"image"
	"image/jpeg"

	"chatserver.dev/pkg/id"
)

// thumbnailQuality is the quality of JPEG thumbnails, from 1 to 100.
const thumbnailQuality = 80

// Thumbnail returns a whole image, scaled down to at most the given size in pixels, and its media type: JPEG, or PNG
// if parts of it are transparent. It calls read for the file only when it is the caller's turn, so that waiting
// callers hold no file in memory. It fails with the errors of [Maker.Squares] and of read.
func (m *Maker) Thumbnail(ctx context.Context, of id.Org, read func(ctx context.Context) ([]byte, error), width, height int) (picture []byte, mediaType string, err error) {
	err = m.inTurn(ctx, of, func(ctx context.Context) error {
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
