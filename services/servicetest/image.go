package servicetest

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"testing"
)

// PNG is a file with an image of one color.
func PNG(t testing.TB, width, height int, fill color.Color) string {
	t.Helper()
	picture, out := image.NewRGBA(image.Rect(0, 0, width, height)), bytes.Buffer{}
	draw.Draw(picture, picture.Rect, image.NewUniform(fill), image.Point{}, draw.Src)
	if err := png.Encode(&out, picture); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// PostFile posts a file as the account, with further fields of the form before it.
func (a Account) PostFile(path string, fields map[string]string, name, content string) Answer {
	a.world.T.Helper()
	body, kind := Form(a.world.T, fields, name, content)
	return a.Post(path, kind, body)
}
