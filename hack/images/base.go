package main

import (
	"archive/tar"
	"bytes"
	"encoding/pem"
	"fmt"
	"io"
	"io/fs"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// nonroot is the ID of the user and the group that the programs run as. It is a number because Kubernetes can't check
// whether a user name is root.
const nonroot = 65532

// files returns the layer that all images share: users, groups, CA certificates and a folder for temporary files.
func files() (v1.Layer, error) {
	return layer(
		entry{directory("etc/", 0o755), nil},
		entry{directory("etc/ssl/", 0o755), nil},
		entry{directory("etc/ssl/certs/", 0o755), nil},
		entry{directory("tmp/", 0o777|fs.ModeSticky), nil},
		entry{file("etc/group", 0o644), fmt.Appendf(nil, "root:x:0:\nnonroot:x:%d:\n", nonroot)},
		entry{file("etc/passwd", 0o644), fmt.Appendf(nil, "root:x:0:0:root:/:/sbin/nologin\nnonroot:x:%d:%[1]d:nonroot:/:/sbin/nologin\n", nonroot)},
		entry{file("etc/ssl/certs/ca-certificates.crt", 0o644), authorities()},
	)
}

// entry is a file or a folder.
type entry struct {
	header  tar.Header
	content []byte
}

// layer returns a layer with these entries and nothing else: all times are zero.
func layer(entries ...entry) (v1.Layer, error) {
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	for _, e := range entries {
		e.header.Size = int64(len(e.content))
		if err := w.WriteHeader(&e.header); err != nil {
			return nil, fmt.Errorf("add %s to a layer: %w", e.header.Name, err)
		}
		if _, err := w.Write(e.content); err != nil {
			return nil, fmt.Errorf("add %s to a layer: %w", e.header.Name, err)
		}
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("finish a layer: %w", err)
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

func file(name string, mode int64) tar.Header {
	return tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: mode}
}

// authorities returns the CA certificates that Mozilla trusts, as PEM. CAs that are trusted only for certificates up to
// some date are left out, since a file can't express that.
func authorities() []byte {
	var text []byte
	for root := range bundle.Roots() {
		if root.Constraint == nil {
			text = append(text, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate})...)
		}
	}
	return text
}
