package servicetest

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math/rand/v2"
	"testing"
)

// PNG returns a PNG file with an image of one color.
func PNG(t testing.TB, width, height int, fill color.Color) string {
	t.Helper()
	picture, out := image.NewRGBA(image.Rect(0, 0, width, height)), bytes.Buffer{}
	draw.Draw(picture, picture.Rect, image.NewUniform(fill), image.Point{}, draw.Src)
	if err := png.Encode(&out, picture); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// Noise returns a PNG file with random pixels, which can't be compressed.
func Noise(t testing.TB, width, height int) string {
	t.Helper()
	picture, out := image.NewRGBA(image.Rect(0, 0, width, height)), bytes.Buffer{}
	random := rand.NewChaCha8([32]byte{})
	_, _ = random.Read(picture.Pix) // which never fails
	for i := 3; i < len(picture.Pix); i += 4 {
		picture.Pix[i] = 0xff
	}
	if err := png.Encode(&out, picture); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// Bomb returns a PNG file of a few bytes whose header has more pixels than fit into memory.
func Bomb() string {
	head := []byte("IHDR\x02\x00\x00\x00\x02\x00\x00\x00\x08\x06\x00\x00\x00")
	sum := binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(head))
	return "\x89PNG\r\n\x1a\n\x00\x00\x00\x0d" + string(head) + string(sum)
}

// PostFile posts a file as the account, with further fields of the form before it.
func (a Account) PostFile(path string, fields map[string]string, name, content string) Answer {
	a.world.T.Helper()
	body, kind := Form(a.world.T, fields, name, content)
	return a.Post(path, kind, body)
}
