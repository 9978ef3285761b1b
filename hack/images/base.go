package main

import (
	"archive/tar"
	"bytes"
	"encoding/pem"
	"fmt"
	"io"
	"io/fs"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// nonroot is the user, and the group, that the programs run as. A number, since Kubernetes can't tell
// whether a name is root.
const nonroot = 65532

// architectures that images are built for.
func architectures() []string { return []string{"amd64", "arm64"} }

// base gives the image that all images begin with, for each architecture: accounts, certificates of
// authorities and a place for temporary files. Nothing in it can be run.
func base() (v1.ImageIndex, error) {
	layer, err := files()
	if err != nil {
		return nil, err
	}
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, architecture := range architectures() {
		platform := v1.Platform{OS: "linux", Architecture: architecture}
		image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
		image, err = mutate.ConfigFile(image, &v1.ConfigFile{
			OS: platform.OS, Architecture: platform.Architecture,
			Config: v1.Config{User: fmt.Sprintf("%d:%[1]d", nonroot), WorkingDir: "/"},
			RootFS: v1.RootFS{Type: "layers"},
		})
		if err != nil {
			return nil, fmt.Errorf("configuring the base image: %w", err)
		}
		image, err = mutate.Append(image, mutate.Addendum{Layer: layer, History: v1.History{CreatedBy: "hack/images"}})
		if err != nil {
			return nil, fmt.Errorf("adding files to the base image: %w", err)
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: image, Descriptor: v1.Descriptor{Platform: &platform}})
	}
	return index, nil
}

// files gives the layer of the base image. It depends on nothing but this code and the pinned
// certificates: all times are zero.
func files() (v1.Layer, error) {
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	for _, entry := range []struct {
		header  tar.Header
		content []byte
	}{
		{directory("etc/", 0o755), nil},
		{directory("etc/ssl/", 0o755), nil},
		{directory("etc/ssl/certs/", 0o755), nil},
		{directory("tmp/", 0o777|fs.ModeSticky), nil},
		{file("etc/group"), fmt.Appendf(nil, "root:x:0:\nnonroot:x:%d:\n", nonroot)},
		{file("etc/passwd"), fmt.Appendf(nil, "root:x:0:0:root:/:/sbin/nologin\nnonroot:x:%d:%[1]d:nonroot:/:/sbin/nologin\n", nonroot)},
		{file("etc/ssl/certs/ca-certificates.crt"), authorities()},
	} {
		entry.header.Size = int64(len(entry.content))
		if err := w.WriteHeader(&entry.header); err != nil {
			return nil, fmt.Errorf("writing %s into the base image: %w", entry.header.Name, err)
		}
		if _, err := w.Write(entry.content); err != nil {
			return nil, fmt.Errorf("writing %s into the base image: %w", entry.header.Name, err)
		}
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("writing the base image: %w", err)
	}
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(archive.Bytes())), nil }
	return tarball.LayerFromOpener(open, tarball.WithMediaType(types.OCILayer), tarball.WithCompressedCaching)
}

func directory(name string, mode fs.FileMode) tar.Header {
	bits := int64(mode.Perm())
	if mode&fs.ModeSticky != 0 {
		bits |= 0o1000
	}
	return tar.Header{Typeflag: tar.TypeDir, Name: name, Mode: bits}
}

func file(name string) tar.Header {
	return tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o644}
}

// authorities gives the certificates that Mozilla trusts, as PEM, where Go's crypto/x509 looks for them.
// Those that are trusted for certificates up to some day only are left out: a file can't say that.
func authorities() []byte {
	var text []byte
	for root := range bundle.Roots() {
		if root.Constraint == nil {
			text = append(text, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate})...)
		}
	}
	return text
}
