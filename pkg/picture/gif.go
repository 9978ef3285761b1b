package picture

import "image"

// maxFrames is how many frames an animation may have.
const maxFrames = 1000

// lookGIF is for the first frame alone.
func lookGIF(_ []byte, config image.Config) (int64, orientation, error) {
	return pixels(config), upright, nil
}

// frames counts the frames of a GIF, as far as its blocks are understood, up to one more than there may be.
func frames(file []byte) (count int) {
	const head, descriptor = 13, 9
	const extension, frame, end = 0x21, 0x2c, 0x3b
	if len(file) < head || string(file[:4]) != "GIF8" {
		return 0
	}
	rest := skip(file, head+table(file[10]))
	for len(rest) > 0 && rest[0] != end && count <= maxFrames {
		switch rest[0] {
		case extension:
			rest = blocks(skip(rest, 2))
		case frame:
			if len(rest) <= descriptor {
				return count
			}
			count++
			rest = blocks(skip(rest, 1+descriptor+table(rest[descriptor])+1))
		default:
			return count
		}
	}
	return count
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
