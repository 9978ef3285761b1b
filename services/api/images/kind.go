package images

import "bytes"

// kinds are the images that are passed on, by how they begin. Vector graphics aren't among them: they can hold
// scripts, and have no such beginning.
func kinds() []kind {
	return []kind{
		{"image/png", ".png", 0, []string{"\x89PNG\r\n\x1a\n"}},
		{"image/jpeg", ".jpg", 0, []string{"\xff\xd8\xff"}},
		{"image/gif", ".gif", 0, []string{"GIF87a", "GIF89a"}},
		{"image/webp", ".webp", 8, []string{"WEBPVP8"}},
		{"image/avif", ".avif", 4, []string{"ftypavif"}},
	}
}

// headBytes is how many of an image's first bytes are looked at first. More are only if these don't say its size.
const headBytes = 64

// kind is a format of images.
type kind struct {
	name   string // of the media type
	suffix string // of a file's name
	at     int    // where in a file the marks are
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
