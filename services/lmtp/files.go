package lmtp

import (
	"io"

	"github.com/emersion/go-message"
	"github.com/emersion/go-message/mail"

	"chatserver.dev/pkg/incomingmail"
)

// maxExpanded is how many times larger a file becomes at most when it is decoded: in some charsets, a letter is one byte, and in
// UTF-8 three.
const maxExpanded = 3

// files are the files of a mail. They are decoded only once, however many recipients the mail has: that may take a second.
type files struct {
	room int    // the maximum size of all of them
	buf  []byte // their contents
	all  []incomingmail.File
}

// add decodes a part. Its content ends at the first error of decoding.
func (f *files) add(e *message.Entity) {
	kind, params, _ := e.Header.ContentType()
	h := mail.AttachmentHeader{Header: e.Header}
	name, err := h.Filename()
	if err != nil || name == "" {
		name = params["name"]
	}
	file := incomingmail.File{Name: name, MediaType: kind}
	if len(f.all) < incomingmail.MaxFiles {
		file.Content, file.TooLarge = f.decode(e.Body)
	}
	f.all = append(f.all, file)
}

// decode returns the content of a part, or reports that it is too large for the room that others have left.
func (f *files) decode(body io.Reader) (content []byte, tooLarge bool) {
	if f.buf == nil {
		f.buf = make([]byte, 0, f.room)
	}
	left := f.buf[len(f.buf):cap(f.buf)]
	n, err := io.ReadFull(body, left)
	if err == nil {
		if more, _ := io.ReadFull(body, make([]byte, 1)); more > 0 {
			return nil, true
		}
	}
	f.buf = f.buf[:len(f.buf)+n]
	return left[:n:n], false
}
