package picture

import (
	"bytes"
	"encoding/binary"
	"image"
)

// maxFrames is how many frames an animation may have.
const maxFrames = 1000

// lookGIF is for the first frame alone.
func lookGIF(_ []byte, config image.Config) (int64, orientation, error) {
	return pixels(config), upright, nil
}

// frames counts the frames of a GIF, as far as its blocks are understood, up to one more than there may be.
func frames(file []byte) (count int) {
	eachFrame(file, func(image.Rectangle) bool {
		count++
		return count <= maxFrames
	})
	return count
}

// firstFrame returns where the first frame of a GIF is; false: it isn't in what there is of the file.
func firstFrame(file []byte) (first image.Rectangle, found bool) {
	eachFrame(file, func(at image.Rectangle) bool {
		first, found = at, true
		return false
	})
	return first, found
}

func isGIF(file []byte) bool { return bytes.HasPrefix(file, []byte("GIF8")) }

// eachFrame calls do with where each frame of a GIF is, as far as its blocks are understood, until do returns false.
func eachFrame(file []byte, do func(at image.Rectangle) bool) {
	const head, descriptor = 13, 9
	const extension, frame, end = 0x21, 0x2c, 0x3b
	if len(file) < head || !isGIF(file) {
		return
	}
	rest := skip(file, head+table(file[10]))
	for len(rest) > 0 && rest[0] != end {
		switch rest[0] {
		case extension:
			rest = blocks(skip(rest, 2))
		case frame:
			if len(rest) <= descriptor {
				return
			}
			number := func(at int) int { return int(binary.LittleEndian.Uint16(rest[at:])) }
			if !do(image.Rect(number(1), number(3), number(1)+number(5), number(3)+number(7))) {
				return
			}
			rest = blocks(skip(rest, 1+descriptor+table(rest[descriptor])+1))
		default:
			return
		}
	}
}

// table returns the size of the table of colors that flags announce, in bytes.
func table(flags byte) int {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (1 + flags&7)
}

// blocks returns what follows a sequence of blocks, each of which begins with its length; the last one is empty.
func blocks(file []byte) []byte {
	for len(file) > 0 && file[0] > 0 {
		file = skip(file, 1+int(file[0]))
	}
	return skip(file, 1)
}

func skip(file []byte, n int) []byte { return file[min(n, len(file)):] }
