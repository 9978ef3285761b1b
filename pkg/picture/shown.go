package picture

import (
	"bytes"
	"encoding/binary"
	"image"
	"io"
)

const (
	// MostShown is how many pixels an image may have that browsers show as it is: each takes four bytes of theirs, however small
	// the file.
	MostShown = 50_000_000
	// HeadBytes is how many of a file's first bytes [Size] has to get, unless the file has fewer.
	HeadBytes = 256 << 10
)

// Size returns how large browsers take an image for, in pixels, by how its file begins; false: that doesn't say.
func Size(head []byte) (size image.Point, ok bool) {
	for _, f := range formats() {
		if f.is(head) {
			return f.size(head)
		}
	}
	return sizeOfAVIF(head)
}

// IsShowable reports whether browsers can show an image as it is, by how its file begins: it says its size, and has at most
// [MostShown] pixels.
func IsShowable(head []byte) bool {
	size, ok := Size(head)
	return ok && size.X > 0 && size.Y > 0 && int64(size.X)*int64(size.Y) <= MostShown
}

// sizeByConfig takes the size that a decoder takes.
func sizeByConfig(config func(io.Reader) (image.Config, error)) func(head []byte) (image.Point, bool) {
	return func(head []byte) (image.Point, bool) {
		read, err := config(bytes.NewReader(head))
		return image.Pt(read.Width, read.Height), err == nil
	}
}

// sizeOfGIF returns the size of the canvas, which browsers enlarge to the first frame.
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

// sizeOfJPEG returns the size of the first frame, of whatever kind. Its decoder says none before a scan begins.
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

// sizeOfAVIF returns the size of the largest part of a still image in AVIF. All of them are in the box "meta", which is the second
// one of usual files; in other files it isn't looked for.
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

// box returns the first box of a file in the ISO base media format, and what follows it; an empty kind: the box isn't whole, or is
// of a size in 64 bits.
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
