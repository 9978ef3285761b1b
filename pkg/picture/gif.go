package picture

import (
	"bytes"
	"encoding/binary"
	"image"
)

// maxFrames is the maximum number of frames of an animation.
const maxFrames = 1000

// lookGIF returns the memory for the first frame, which the decoder copies if it is interlaced.
func lookGIF(_ []byte, config image.Config) (memory int64, turned orientation, err error) {
	return 2 * pixels(config), upright, nil
}

// frames counts the frames of a GIF up to maxFrames+1, as far as it can parse the blocks. If whole is false, a
// decoder may find more.
func frames(file []byte) (count int, whole bool) {
	whole = eachFrame(file, func(image.Rectangle) bool {
		count++
		return count <= maxFrames
	})
	return count, whole
}

// firstFrame returns the position of the first frame of a GIF. found is false if file doesn't contain it.
func firstFrame(file []byte) (first image.Rectangle, found bool) {
	eachFrame(file, func(at image.Rectangle) bool {
		first, found = at, true
		return false
	})
	return first, found
}

func isGIF(file []byte) bool { return bytes.HasPrefix(file, []byte("GIF8")) }

// eachFrame calls do with the position of each frame of a GIF, as far as it can parse the blocks, until do returns
// false. It reports whether it has reached the end of the image.
func eachFrame(file []byte, do func(at image.Rectangle) bool) (whole bool) {
	const head, descriptor = 13, 9
	const extension, frame, end = 0x21, 0x2c, 0x3b
	if len(file) < head || !isGIF(file) {
		return false
	}
	rest := skip(file, head+table(file[10]))
	for len(rest) > 0 && rest[0] != end {
		switch rest[0] {
		case extension:
			if !standard(rest) {
				return false
			}
			rest = blocks(skip(rest, 2))
		case frame:
			if len(rest) <= descriptor {
				return false
			}
			number := func(at int) int { return int(binary.LittleEndian.Uint16(rest[at:])) }
			if !do(image.Rect(number(1), number(3), number(1)+number(5), number(3)+number(7))) {
				return false
			}
			rest = blocks(skip(rest, 1+descriptor+table(rest[descriptor])+1))
		default:
			return false
		}
	}
	return len(rest) > 0
}

// standard reports whether the first block of an extension has a length that the decoder handles. The decoder assumes
// a fixed length for the first block of a text, and another block after the first one of an application. With other
// lengths, the decoder may find frames that this package doesn't.
func standard(extension []byte) bool {
	const text, textBytes, application = 0x01, 12, 0xff
	if len(extension) < 3 {
		return false
	}
	switch kind, length := extension[1], extension[2]; kind {
	case text:
		return length == textBytes
	case application:
		return length > 0
	default:
		return true
	}
}

// table returns the size in bytes of the color table that flags announce.
func table(flags byte) int {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (1 + flags&7)
}

// blocks returns the rest of a file after a sequence of blocks, each of which begins with its length. The last one is
// empty.
func blocks(file []byte) []byte {
	for len(file) > 0 && file[0] > 0 {
		file = skip(file, 1+int(file[0]))
	}
	return skip(file, 1)
}

func skip(file []byte, n int) []byte { return file[min(n, len(file)):] }
