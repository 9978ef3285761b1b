package avatar

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"

	"chatserver.dev/pkg/blob"
)

// The sides of pictures in pixels (rest-api.md, section 9).
const (
	Small  = 100
	Medium = 500
)

func sides() []int { return []int{Small, Medium} }

// pack returns an archive of all sizes of a picture.
func pack(squares [][]byte) ([]byte, error) {
	out := bytes.Buffer{}
	archive := tar.NewWriter(&out)
	for i, square := range squares {
		if err := archive.WriteHeader(&tar.Header{Name: entry(sides()[i]), Size: int64(len(square)), Mode: 0o600}); err != nil {
			return nil, fmt.Errorf("pack a picture: %w", err)
		}
		if _, err := archive.Write(square); err != nil {
			return nil, fmt.Errorf("pack a picture: %w", err)
		}
	}
	err := archive.Close()
	return out.Bytes(), err
}

func entry(side int) string { return strconv.Itoa(side) + ".png" }

// Image is a picture in one size, as PNG.
type Image struct {
	io.Reader
	io.Closer
	Size int64 // in bytes
}

// unpack returns one size of a picture.
func unpack(packed blob.File, side int) (Image, error) {
	archive := tar.NewReader(packed)
	for {
		header, err := archive.Next()
		if err != nil {
			return Image{}, errors.Join(fmt.Errorf("read a picture: %w", err), packed.Close())
		}
		if header.Name == entry(side) {
			return Image{archive, packed, header.Size}, nil
		}
	}
}
