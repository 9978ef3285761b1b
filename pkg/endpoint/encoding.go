package endpoint

import (
	"bytes"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// inUTF8 returns a body with JSON in UTF-8, without the byte order mark that some programs write. Those of Windows write UTF-16, which has a
// mark, or Windows-1252, as which each byte is taken that isn't part of a letter in UTF-8: whoever posts reports can't react to a refusal.
func inUTF8(body []byte) []byte {
	if utf8.Valid(body) {
		return bytes.TrimPrefix(body, []byte("\ufeff"))
	}
	if wide, err := unicode.UTF16(unicode.BigEndian, unicode.ExpectBOM).NewDecoder().Bytes(body); err == nil {
		return wide
	}
	text := make([]byte, 0, len(body)+len(body)/8)
	for len(body) > 0 {
		letter, size := utf8.DecodeRune(body)
		if letter == utf8.RuneError && size == 1 {
			letter = charmap.Windows1252.DecodeByte(body[0])
		}
		text, body = utf8.AppendRune(text, letter), body[size:]
	}
	return text
}
