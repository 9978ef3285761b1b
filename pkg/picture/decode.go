package picture

import (
	"bytes"
	"context"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"

	"golang.org/x/image/webp"
)

// Limits on images.
const (
	maxSide = 20_000 // pixels
	// maxMemory is the maximum number of bytes for decoding an image. A photo of 12 megapixels takes 18 to 90 MB.
	maxMemory = 96 << 20
)

// format is a format of images.
type format struct {
	begins string // the beginning of files; ? stands for any byte
	config func(io.Reader) (image.Config, error)
	// look returns the number of bytes that decoding takes, and the orientation of the image. config is the result of
	// the function config.
	look   func(file []byte, config image.Config) (memory int64, turned orientation, err error)
	decode func(io.Reader) (image.Image, error)
	size   func(head []byte) (image.Point, bool) // see [Size]
}

func formats() []format {
	return []format{
		{"\x89PNG\r\n\x1a\n", png.DecodeConfig, lookPNG, png.Decode, sizeByConfig(png.DecodeConfig)},
		{"\xff\xd8\xff", jpeg.DecodeConfig, lookJPEG, jpeg.Decode, sizeOfJPEG},
		{"GIF8?a", gif.DecodeConfig, lookGIF, gif.Decode, sizeOfGIF},
		{"RIFF????WEBP", webp.DecodeConfig, lookWebP, webp.Decode, sizeByConfig(webp.DecodeConfig)},
	}
}

func (f format) is(file []byte) bool {
	if len(file) < len(f.begins) {
		return false
	}
	for i := range len(f.begins) {
		if f.begins[i] != '?' && f.begins[i] != file[i] {
			return false
		}
	}
	return true
}

// decode returns the image of a file, or the first frame of an animation.
func decode(ctx context.Context, file []byte) (source, error) {
	for _, f := range formats() {
		if !f.is(file) {
			continue
		}
		config, err := f.config(bytes.NewReader(file))
		if err != nil {
			return source{}, ErrNoImage.Wrap(err)
		}
		memory, turned, err := f.look(file, config)
		if err == nil {
			err = bounded(config, memory)
		}
		if err != nil {
			return source{}, err
		}
		decoded, err := f.decode(reader{ctx, bytes.NewReader(file)})
		if err != nil {
			return source{}, undecodable(ctx, err)
		}
		return source{decoded, turned}, nil
	}
	return source{}, ErrNoImage
}

// bounded fails if an image is too large or has no pixels.
func bounded(config image.Config, memory int64) error {
	switch {
	case config.Width < 1 || config.Height < 1:
		return ErrNoImage
	case config.Width > maxSide || config.Height > maxSide || memory > maxMemory:
		return ErrLarge
	}
	return nil
}

// undecodable returns the error of a decoder, or the error of ctx if that has ended the decoder.
func undecodable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return ErrNoImage.Wrap(err)
}

// reader fails when its context ends. Decoders read a file in pieces, so this ends them.
type reader struct {
	ctx  context.Context //nolint:containedctx // it is that of the one call which reads
	file io.Reader
}

// Read implements [io.Reader].
func (r reader) Read(into []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.file.Read(into)
}

func pixels(config image.Config) int64 { return int64(config.Width) * int64(config.Height) }

// lookPNG assumes that the image has transparency, which takes the most memory. An interlaced image is decoded in
// parts.
func lookPNG(file []byte, config image.Config) (memory int64, turned orientation, err error) {
	const depthAt, interlacedAt = 24, 28
	if len(file) <= interlacedAt {
		return 0, upright, ErrNoImage
	}
	memory = 4 * pixels(config)
	if file[depthAt] == 16 {
		memory *= 2
	}
	if file[interlacedAt] != 0 {
		memory *= 2
	}
	return memory, upright, nil
}

// lookWebP assumes that the image is lossless, which takes the most memory: the decoder has tables besides the
// pixels.
func lookWebP(_ []byte, config image.Config) (memory int64, turned orientation, err error) {
	return 12 * pixels(config), upright, nil
}
