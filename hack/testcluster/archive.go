package main

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// imageConfig is what an image says about how it is run, in the words of the format.
type imageConfig struct {
	User       string   `json:",omitempty"`
	Env        []string `json:",omitempty"`
	Entrypoint []string `json:",omitempty"`
	Cmd        []string `json:",omitempty"`
	WorkingDir string   `json:",omitempty"`
}

// writeImage writes a folder as an image of one layer, in the format of `docker save`. Everything in
// it belongs to root and has no time: the same folder gives the same bytes.
func writeImage(file, tag, dir string, config imageConfig) (err error) {
	layer, err := os.CreateTemp(filepath.Dir(file), ".layer-*")
	if err != nil {
		return fmt.Errorf("make the image's layer: %w", err)
	}
	defer os.Remove(layer.Name()) //nolint:errcheck // what is left is in nobody's way
	defer layer.Close()           //nolint:errcheck // it is a copy
	sum := sha256.New()
	if err := writeLayer(io.MultiWriter(layer, sum), dir); err != nil {
		return err
	}
	size, err := layer.Seek(0, io.SeekCurrent)
	if err != nil {
		return fmt.Errorf("read the image's layer: %w", err)
	}
	if _, err := layer.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("read the image's layer: %w", err)
	}
	description, err := describe(config, hex.EncodeToString(sum.Sum(nil)))
	if err != nil {
		return err
	}
	manifest, err := json.Marshal([]map[string]any{{"Config": "config.json", "RepoTags": []string{tag}, "Layers": []string{"layer.tar"}}})
	if err != nil {
		return fmt.Errorf("describe the image: %w", err)
	}

	image, err := os.Create(file)
	if err != nil {
		return fmt.Errorf("write the image: %w", err)
	}
	defer func() {
		if closed := image.Close(); err == nil {
			err = closed
		}
	}()
	archive := tar.NewWriter(image)
	for _, part := range []struct {
		name string
		size int64
		from io.Reader
	}{
		{"manifest.json", int64(len(manifest)), bytes.NewReader(manifest)},
		{"config.json", int64(len(description)), bytes.NewReader(description)},
		{"layer.tar", size, layer},
	} {
		if err := archive.WriteHeader(&tar.Header{Name: part.name, Mode: 0o644, Size: part.size}); err != nil {
			return fmt.Errorf("write the image: %w", err)
		}
		if _, err := io.Copy(archive, part.from); err != nil {
			return fmt.Errorf("write the image: %w", err)
		}
	}
	if err := archive.Close(); err != nil {
		return fmt.Errorf("write the image: %w", err)
	}
	return nil
}

// describe gives the image's configuration file.
func describe(config imageConfig, layer string) ([]byte, error) {
	const epoch = "1970-01-01T00:00:00Z"
	description, err := json.Marshal(map[string]any{
		"architecture": runtime.GOARCH, "os": "linux", "created": epoch, "config": config,
		"rootfs":  map[string]any{"type": "layers", "diff_ids": []string{"sha256:" + layer}},
		"history": []map[string]string{{"created": epoch, "created_by": "hack/cluster"}},
	})
	if err != nil {
		return nil, fmt.Errorf("describe the image: %w", err)
	}
	return description, nil
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
