package main

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

// sampleRoot returns a folder of files with the current time.
func sampleRoot(t *testing.T, now time.Time) string {
	t.Helper()
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "usr", "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(root, "usr", "bin", "program"), "content")
	if err := os.Chmod(filepath.Join(root, "usr", "bin", "program"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(root, "tmp"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(root, "tmp"), 0o777|os.ModeSticky); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("usr/bin", filepath.Join(root, "bin")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(filepath.Join(root, "usr", "bin", "program"), now, now); err != nil {
		t.Fatal(err)
	}
	return root
}

func TestImage(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "image.tar")
	config := v1.Config{User: "999:999", Env: []string{"A=b"}, Entrypoint: []string{"/program"}}
	if err := writeImage(file, "chatserver.test/sample:1", sampleRoot(t, time.Unix(1, 0)), config); err != nil {
		t.Fatal(err)
	}
	tag := name.MustParseReference("chatserver.test/sample:1").(name.Tag) //nolint:forcetypeassert // It has a tag.
	image, err := tarball.ImageFromPath(file, &tag)
	if err != nil {
		t.Fatal(err)
	}
	// containerd refuses a layer that doesn't match the configuration.
	if err := validate.Image(image); err != nil {
		t.Error(err)
	}
	described, err := image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(config, described.Config); diff != "" || described.OS != "linux" {
		t.Errorf("configuration (-want +got):\n%s", diff)
	}
	extracted := mutate.Extract(image)
	defer extracted.Close()
	layer, err := io.ReadAll(extracted)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"bin": "", "tmp": "", "usr": "", "usr/bin": "", "usr/bin/program": "content"}
	if diff := cmp.Diff(want, contents(t, layer)); diff != "" {
		t.Errorf("layer (-want +got):\n%s", diff)
	}
	modes := map[string]int64{}
	for _, header := range headers(t, layer) {
		modes[header.Name] = header.Mode
		if header.Uid != 0 || header.Gid != 0 || header.Uname != "" {
			t.Errorf("%s belongs to %d:%d", header.Name, header.Uid, header.Gid)
		}
		if header.Name == "bin" && header.Linkname != "usr/bin" {
			t.Errorf("bin leads to %q", header.Linkname)
		}
	}
	if modes["tmp"] != 0o1777 || modes["usr/bin/program"] != 0o755 {
		t.Errorf("modes %o and %o", modes["tmp"], modes["usr/bin/program"])
	}
}

func TestImageIsReproducible(t *testing.T) {
	t.Parallel()
	var images [2]string
	for i := range images {
		file := filepath.Join(t.TempDir(), "image.tar")
		root := sampleRoot(t, time.Unix(int64(i)*1e6, 0))
		if err := writeImage(file, "chatserver.test/sample:1", root, v1.Config{}); err != nil {
			t.Fatal(err)
		}
		images[i] = read(t, file)
	}
	if images[0] != images[1] {
		t.Error("the same folder gave two different images")
	}
}

func headers(t *testing.T, archive []byte) []*tar.Header {
	t.Helper()
	var list []*tar.Header
	for reader := tar.NewReader(bytes.NewReader(archive)); ; {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, header)
	}
}

func contents(t *testing.T, archive []byte) map[string]string {
	t.Helper()
	parts := map[string]string{}
	for reader := tar.NewReader(bytes.NewReader(archive)); ; {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return parts
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(reader)
		if err != nil {
			t.Fatal(err)
		}
		parts[header.Name] = string(content)
	}
}
