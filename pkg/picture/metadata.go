package picture

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
)

// WithoutMetadata returns a JPEG or PNG file without metadata: where, when and by whom a photo was taken, comments,
// previews, and anything after the image. The pixels stay the same, bit by bit, with their colors, and a JPEG stays
// upright. It returns other files unchanged, and the rest of a file from the first part that it can't parse. It holds
// at most 64 KiB, reads to the end of the file, and returns errors of reading.
func WithoutMetadata(file io.Reader) io.Reader {
	in := bufio.NewReaderSize(file, 4096)
	head, _ := in.Peek(8) // the next read returns the error
	switch {
	case bytes.HasPrefix(head, []byte("\xff\xd8\xff")):
		return &stripped{in: in, next: (&jpegParts{}).next}
	case bytes.Equal(head, []byte("\x89PNG\r\n\x1a\n")):
		return &stripped{in: in, next: (&pngParts{}).next}
	}
	return in
}

// stripped reads a file part by part.
type stripped struct {
	in   *bufio.Reader
	out  []byte // the rest of the last part that hasn't been read yet
	left int64  // number of bytes to pass on unchanged; negative: all
	skip int64  // number of bytes to skip after those; negative: all
	next func(s *stripped) error
}

// Read implements io.Reader.
func (s *stripped) Read(p []byte) (int, error) {
	for {
		switch {
		case len(s.out) > 0:
			n := copy(p, s.out)
			s.out = s.out[n:]
			return n, nil
		case s.left != 0:
			if s.left > 0 {
				p = p[:min(int64(len(p)), s.left)]
			}
			n, err := s.in.Read(p)
			if s.left > 0 {
				s.left -= int64(n)
			}
			return n, err
		case s.skip < 0:
			if _, err := io.Copy(io.Discard, s.in); err != nil {
				return 0, err
			}
			return 0, io.EOF
		case s.skip > 0:
			n, err := io.CopyN(io.Discard, s.in, s.skip)
			if s.skip -= n; err != nil {
				return 0, err
			}
		default:
			if err := s.next(s); err != nil {
				return 0, err
			}
		}
	}
}

// asItIs passes the rest of the file on unchanged.
func (s *stripped) asItIs() { s.left = -1 }

// jpegParts splits a JPEG into parts.
type jpegParts struct {
	started, exif, scanning bool
}

// next processes a segment, or a piece of a scan.
func (j *jpegParts) next(s *stripped) error {
	if j.scanning {
		return j.scan(s)
	}
	if !j.started {
		j.started, s.left = true, 2
		return nil
	}
	head, err := s.in.Peek(4)
	if err != nil || head[0] != 0xff {
		if len(head) >= 2 && head[0] == 0xff && head[1] == markEnd {
			s.left, s.skip = 2, -1
			return nil
		}
		s.asItIs()
		return nil
	}
	mark, size := head[1], 2+int64(binary.BigEndian.Uint16(head[2:]))
	switch {
	case mark == markEnd:
		s.left, s.skip = 2, -1
	case mark == 0xff: // padding
		s.left = 1
	case mark < markBaseline || mark >= markRestart && mark <= markBegin || size < 4:
		s.asItIs()
	case mark == markScan:
		j.scanning, s.left = true, size
	case mark == markEXIF && !j.exif:
		return j.upright(s, int(size))
	case drops(s, mark):
		s.skip = size
	default:
		s.left = size
	}
	return nil
}

// drops reports whether to leave out a segment: comments and segments of applications, except for those that colors
// depend on.
func drops(s *stripped, mark byte) bool {
	const application, profile, last, comment = 0xe0, 0xe2, 0xef, 0xfe
	switch mark {
	case comment:
		return true
	case profile:
		start, _ := s.in.Peek(4 + 12) // a shorter segment isn't one of these
		return !bytes.HasSuffix(start, []byte("ICC_PROFILE\x00"))
	default:
		return mark > application && mark <= last && mark != markAdobe
	}
}

// upright replaces an EXIF segment with one that contains only the orientation, if it has one.
func (j *jpegParts) upright(s *stripped, size int) error {
	segment := make([]byte, size)
	if n, err := io.ReadFull(s.in, segment); err != nil {
		s.out = segment[:n]
		s.asItIs()
		return nil //nolint:nilerr // reading fails again
	}
	if !bytes.HasPrefix(segment[4:], []byte("Exif")) {
		return nil // XMP
	}
	j.exif = true
	if turned := orientationOf(segment[4:]); turned != upright {
		s.out = append([]byte("\xff\xe1\x00\x22Exif\x00\x00MM\x00\x2a\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00"), byte(turned), 0, 0, 0, 0, 0, 0) // 8 at most
	}
	return nil
}

// scan passes the pixels on up to the next segment.
func (j *jpegParts) scan(s *stripped) error {
	if _, err := s.in.Peek(2); err != nil {
		s.asItIs()
		return nil //nolint:nilerr // reading fails again
	}
	ahead, _ := s.in.Peek(s.in.Buffered()) // can't fail
	for at := 0; ; {
		found := bytes.IndexByte(ahead[at:], 0xff)
		if found < 0 {
			s.left = int64(len(ahead))
			return nil
		}
		if at += found; at == len(ahead)-1 {
			s.left = int64(at) // the next call processes it
			return nil
		}
		switch mark := ahead[at+1]; {
		case mark == 0, mark >= markRestart && mark < markBegin:
			at += 2
		case mark == 0xff:
			at++
		default:
			j.scanning, s.left = false, int64(at)
			return nil
		}
		if at >= len(ahead) {
			s.left = int64(len(ahead))
			return nil
		}
	}
}

// pngParts splits a PNG into parts.
type pngParts struct{ started bool }

// next processes a chunk.
func (c *pngParts) next(s *stripped) error {
	if !c.started {
		c.started, s.left = true, 8
		return nil
	}
	head, err := s.in.Peek(8)
	if err != nil {
		s.asItIs()
		return nil //nolint:nilerr // reading fails again
	}
	size := 12 + int64(binary.BigEndian.Uint32(head))
	switch string(head[4:8]) {
	case "eXIf", "tEXt", "zTXt", "iTXt", "tIME":
		s.skip = size
	case "IEND":
		s.left, s.skip = size, -1
	default:
		s.left = size
	}
	return nil
}
