package attachment

import (
	"bytes"
	"io"
)

// headBytes is how many of a file's first bytes determine its type.
const headBytes = 64

// shown returns the media type of a file that browsers show or play, by its first bytes; empty: they save it. Vector graphics are
// saved, since they can contain scripts.
func shown(head []byte) (mediaType string) {
	for _, k := range []struct {
		mediaType string
		at        int
		marks     []string // one of them is at this offset
		also      string   // also somewhere in the first bytes
	}{
		{"image/png", 0, []string{"\x89PNG\r\n\x1a\n"}, ""},
		{"image/jpeg", 0, []string{"\xff\xd8\xff"}, ""},
		{"image/gif", 0, []string{"GIF87a", "GIF89a"}, ""},
		{"image/webp", 8, []string{"WEBPVP8"}, "RIFF"},
		{"application/pdf", 0, []string{"%PDF-"}, ""},
		{"video/mp4", 4, []string{"ftypisom", "ftypiso2", "ftypiso4", "ftypiso5", "ftypiso6", "ftypmp41", "ftypmp42", "ftypavc1", "ftypdash", "ftypM4V "}, ""},
		{"video/quicktime", 4, []string{"ftypqt  "}, ""},
		{"video/webm", 0, []string{"\x1a\x45\xdf\xa3"}, "webm"},
		{"video/ogg", 0, []string{"OggS"}, "\x80theora"},
		{"audio/mp4", 4, []string{"ftypM4A ", "ftypM4B "}, ""},
		{"audio/ogg", 0, []string{"OggS"}, "\x01vorbis"},
		{"audio/ogg", 0, []string{"OggS"}, "OpusHead"},
		{"audio/mpeg", 0, []string{"ID3", "\xff\xfb", "\xff\xf3", "\xff\xf2"}, ""},
		{"audio/wav", 8, []string{"WAVE"}, "RIFF"},
		{"audio/flac", 0, []string{"fLaC"}, ""},
	} {
		if len(head) < k.at || !bytes.Contains(head, []byte(k.also)) {
			continue
		}
		for _, mark := range k.marks {
			if bytes.HasPrefix(head[k.at:], []byte(mark)) {
				return k.mediaType
			}
		}
	}
	return ""
}

// beginning is a reader that keeps the first bytes read.
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
