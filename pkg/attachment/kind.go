package attachment

import (
	"bytes"
	"io"
)

// headBytes is how many of a file's first bytes say what it is.
const headBytes = 16

// shown are the media types that browsers show (rest-api.md, section 5.10), by how such files begin. Vector graphics aren't
// among them: they can hold scripts.
func shown(head []byte) (mediaType string) {
	for _, k := range []struct {
		mediaType string
		at        int
		marks     []string
	}{
		{"image/png", 0, []string{"\x89PNG\r\n\x1a\n"}},
		{"image/jpeg", 0, []string{"\xff\xd8\xff"}},
		{"image/gif", 0, []string{"GIF87a", "GIF89a"}},
		{"image/webp", 8, []string{"WEBPVP8"}},
		{"application/pdf", 0, []string{"%PDF-"}},
	} {
		for _, mark := range k.marks {
			if len(head) >= k.at && bytes.HasPrefix(head[k.at:], []byte(mark)) {
				return k.mediaType
			}
		}
	}
	return ""
}

// beginning is a reader that remembers how what it reads begins.
type beginning struct {
	io.Reader
	head []byte
}

// Read implements io.Reader.
func (b *beginning) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	b.head = append(b.head, p[:min(n, headBytes-len(b.head))]...)
	return n, err
}
