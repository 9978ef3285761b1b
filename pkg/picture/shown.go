package picture

import (
	"bytes"
	"encoding/binary"
	"image"
	"io"
)

const (
	// MaxShown is the maximum number of pixels of an image that browsers show unchanged. Each takes four bytes of a
	// browser's memory, however small the file is.
	MaxShown = 50_000_000
	// HeadBytes is the number of bytes at the beginning of a file that [Size] needs, unless the file is shorter.
	HeadBytes = 256 << 10
)

// Size returns the size in pixels that browsers assume for an image, from the beginning of its file. ok is false if
// that doesn't contain the size.
func Size(head []byte) (size image.Point, ok bool) {
	for _, f := range formats() {
		if f.is(head) {
			return f.size(head)
		}
	}
	return sizeOfAVIF(head)
}

// IsShowable reports whether browsers can show an image unchanged, from the beginning of its file: it must contain a
// size of at most [MaxShown] pixels.
func IsShowable(head []byte) bool {
	size, ok := Size(head)
	return ok && size.X > 0 && size.Y > 0 && int64(size.X)*int64(size.Y) <= MaxShown
}

// sizeByConfig returns a function that returns the size that a decoder reads.
func sizeByConfig(config func(io.Reader) (image.Config, error)) func(head []byte) (image.Point, bool) {
	return func(head []byte) (image.Point, bool) {
		read, err := config(bytes.NewReader(head))
		return image.Pt(read.Width, read.Height), err == nil
	}
}

// sizeOfGIF returns the size of the canvas or, if that is larger, of the first frame, to which browsers enlarge the
// canvas.
func sizeOfGIF(head []byte) (size image.Point, ok bool) {
	first, ok := firstFrame(head)
	if !ok {
		return size, false
	}
	const width, height = 6, 8
	return image.Pt(
		max(first.Max.X, int(binary.LittleEndian.Uint16(head[width:]))),
		max(first.Max.Y, int(binary.LittleEndian.Uint16(head[height:]))),
	), true
}

// sizeOfJPEG returns the size of the first frame of any kind. Package image/jpeg returns none before a scan begins.
func sizeOfJPEG(head []byte) (size image.Point, ok bool) {
	eachSegment(head, func(mark byte, segment []byte) {
		const end, height, width = 5, 1, 3
		isFrame := mark >= markBaseline && mark < markRestart && mark != markHuffman && mark != markArithmetic && mark != markExtension
		if isFrame && len(segment) >= end && !ok {
			size, ok = image.Pt(int(binary.BigEndian.Uint16(segment[width:])), int(binary.BigEndian.Uint16(segment[height:]))), true
		}
	})
	return size, ok
}

// sizeOfAVIF returns the size of the largest part of a still image in AVIF. The sizes are in the box "meta", usually
// the second one of a file. In other files they aren't looked for.
func sizeOfAVIF(head []byte) (size image.Point, ok bool) {
	kind, file, rest := box(head)
	if kind != "ftyp" || !bytes.HasPrefix(file, []byte("avif")) {
		return size, false
	}
	kind, meta, _ := box(rest)
	if kind != "meta" {
		return size, false
	}
	const extent = 12 // a version, flags, a width and a height
	for {
		_, after, found := bytes.Cut(meta, []byte("ispe"))
		if !found {
			return size, ok
		}
		if len(after) < extent {
			return size, false
		}
		size.X = max(size.X, int(binary.BigEndian.Uint32(after[4:])))
		size.Y = max(size.Y, int(binary.BigEndian.Uint32(after[8:])))
		meta, ok = after, true
	}
}

// box returns the first box of a file in the ISO base media format, and the rest of the file. kind is empty if the
// box is incomplete or has a 64-bit size.
func box(file []byte) (kind string, content, rest []byte) {
	const head = 8
	if len(file) < head {
		return "", nil, nil
	}
	size := binary.BigEndian.Uint32(file)
	if size < head || uint64(size) > uint64(len(file)) {
		return "", nil, nil
	}
	return string(file[4:head]), file[head:size], file[size:]
}
