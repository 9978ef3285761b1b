package images

import "bytes"

// kinds returns the formats of images that are passed on, with the bytes that identify them. Vector graphics aren't
// among them: they can contain scripts, and have no such bytes.
func kinds() []kind {
	return []kind{
		{"image/png", ".png", 0, []string{"\x89PNG\r\n\x1a\n"}},
		{"image/jpeg", ".jpg", 0, []string{"\xff\xd8\xff"}},
		{"image/gif", ".gif", 0, []string{"GIF87a", "GIF89a"}},
		{"image/webp", ".webp", 8, []string{"WEBPVP8"}},
		{"image/avif", ".avif", 4, []string{"ftypavif"}},
	}
}

// headBytes is the number of bytes that are read first of an image. More are read only if these don't have the image's
// dimensions.
const headBytes = 64

// kind is a format of images.
type kind struct {
	name   string // the media type
	suffix string // the extension of file names
	at     int    // the offset of the marks in a file
	marks  []string
}

// kindOf returns the format of a file with this beginning, and false if it is none of [kinds].
func kindOf(head []byte) (kind, bool) {
	for _, k := range kinds() {
		for _, mark := range k.marks {
			if len(head) >= k.at && bytes.HasPrefix(head[k.at:], []byte(mark)) {
				return k, true
			}
		}
	}
	return kind{}, false
}
