package main

import (
	"archive/tar"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// writeImage writes a folder as an image of one layer, in the format of `docker save`. All files belong to root and
// have no time, so the same folder produces the same bytes.
func writeImage(file, tag, dir string, config v1.Config) error {
	reference, err := name.NewTag(tag)
	if err != nil {
		return err
	}
	open := func() (io.ReadCloser, error) {
		reader, writer := io.Pipe()
		go func() { writer.CloseWithError(writeLayer(writer, dir)) }()
		return reader, nil
	}
	// The layer is read once, on this machine, so compression would only take time.
	layer, err := tarball.LayerFromOpener(open, tarball.WithCompressionLevel(gzip.NoCompression))
	if err != nil {
		return fmt.Errorf("read the image's layer: %w", err)
	}
	image, err := mutate.ConfigFile(empty.Image, &v1.ConfigFile{
		OS: "linux", Architecture: runtime.GOARCH, Config: config, RootFS: v1.RootFS{Type: "layers"},
	})
	if err != nil {
		return fmt.Errorf("describe the image: %w", err)
	}
	if image, err = mutate.AppendLayers(image, layer); err != nil {
		return fmt.Errorf("describe the image: %w", err)
	}
	if err := tarball.WriteToFile(file, reference, image); err != nil {
		return fmt.Errorf("write the image: %w", err)
	}
	return nil
}

func writeLayer(to io.Writer, dir string) error {
	layer := tar.NewWriter(to)
	// In the order of names.
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		return addFile(layer, dir, path, entry)
	})
	if err != nil {
		return fmt.Errorf("write the image's layer: %w", err)
	}
	if err := layer.Close(); err != nil {
		return fmt.Errorf("write the image's layer: %w", err)
	}
	return nil
}

func addFile(layer *tar.Writer, dir, path string, entry fs.DirEntry) error {
	info, err := entry.Info()
	if err != nil {
		return err
	}
	target := ""
	if info.Mode()&fs.ModeSymlink != 0 {
		if target, err = os.Readlink(path); err != nil {
			return err
		}
	}
	full, err := tar.FileInfoHeader(info, target)
	if err != nil {
		return err
	}
	name, err := filepath.Rel(dir, path)
	if err != nil {
		return err
	}
	if info.IsDir() {
		name += "/"
	}
	header := tar.Header{Typeflag: full.Typeflag, Name: name, Linkname: target, Size: full.Size, Mode: full.Mode}
	if err := layer.WriteHeader(&header); err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return nil
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // nothing is written
	_, err = io.Copy(layer, file)
	return err
}
