package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"chatserver.dev/hack/images/component"
)

// build builds a component's image and returns its reference with the digest. It writes the archive, if the image isn't
// pushed, the reference and the bills of materials to the folder. If it fails, there is no archive, not even an earlier
// one.
func build(ctx context.Context, o options, c component.Component) (string, error) {
	archive := filepath.Join(o.folder, c.Name+".tar")
	if err := os.Remove(archive); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	repository, err := name.NewRepository(o.repository + "/" + c.Name)
	if err != nil {
		return "", err
	}
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	var last v1.Image
	for _, platform := range o.platforms {
		image, bill, err := buildFor(ctx, o, c, platform)
		if err != nil {
			return "", fmt.Errorf("build the image of %s for %s: %w", c.Name, platform, err)
		}
		if o.push {
			if err := pushBill(ctx, repository, image, bill); err != nil {
				return "", fmt.Errorf("push the bill of materials of %s: %w", c.Name, err)
			}
		}
		target, err := v1.ParsePlatform(platform)
		if err != nil {
			return "", err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: image, Descriptor: v1.Descriptor{Platform: target}})
		last = image
	}
	var digest v1.Hash
	if o.push {
		digest, err = push(ctx, o, repository, mutate.Annotations(index, labels(o, c)).(v1.ImageIndex))
	} else {
		digest, err = save(archive, o, repository, last)
	}
	if err != nil {
		return "", fmt.Errorf("store the image of %s: %w", c.Name, err)
	}
	reference := repository.Tag(o.version).String() + "@" + digest.String()
	return reference, os.WriteFile(filepath.Join(o.folder, c.Name+".ref"), []byte(reference+"\n"), 0o644)
}

// buildFor compiles a component for a platform, and returns its image and its bill of materials. The image doesn't
// depend on the machine, the folder or the time.
func buildFor(ctx context.Context, o options, c component.Component, platform string) (v1.Image, []byte, error) {
	system, architecture, _ := strings.Cut(platform, "/")
	program := filepath.Join(o.folder, c.Name+"-"+system+"-"+architecture)
	defer os.Remove(program) //nolint:errcheck // it is in the image, or there is an error already
	cmd := exec.CommandContext(
		ctx, "go", "build", "-C", filepath.Join(o.root, c.Module), "-trimpath", "-buildvcs=false",
		"-ldflags", "-s -w -X chatserver.dev/pkg/product.stamped="+o.version, "-o", program, c.Program,
	)
	cmd.Env = append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+architecture)
	if said, err := cmd.CombinedOutput(); err != nil {
		return nil, nil, fmt.Errorf("%w\n%s", err, said)
	}
	text, err := os.ReadFile(program)
	if err != nil {
		return nil, nil, err
	}
	shared, err := files()
	if err != nil {
		return nil, nil, err
	}
	own, err := layer(entry{directory("bin/", 0o755), nil}, entry{file("bin/"+c.Name, 0o755), text})
	if err != nil {
		return nil, nil, err
	}
	image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	image, err = mutate.ConfigFile(image, &v1.ConfigFile{
		OS: system, Architecture: architecture,
		Config: v1.Config{
			User: fmt.Sprintf("%d:%[1]d", nonroot), WorkingDir: "/", Env: []string{"PATH=/bin"},
			Entrypoint: []string{"/bin/" + c.Name}, Labels: labels(o, c),
		},
		RootFS: v1.RootFS{Type: "layers"},
	})
	if err != nil {
		return nil, nil, err
	}
	if image, err = mutate.AppendLayers(image, shared, own); err != nil {
		return nil, nil, err
	}
	bill, err := billOf(program, c, o.version)
	if err != nil {
		return nil, nil, err
	}
	return mutate.Annotations(image, labels(o, c)).(v1.Image), bill, os.WriteFile(program+".spdx.json", bill, 0o644)
}

// save writes an image to an archive, under all its tags.
func save(archive string, o options, repository name.Repository, image v1.Image) (v1.Hash, error) {
	images := map[name.Reference]v1.Image{}
	for _, tag := range o.tags {
		images[repository.Tag(tag)] = image
	}
	if err := tarball.MultiRefWriteToFile(archive, images); err != nil {
		return v1.Hash{}, errors.Join(err, os.Remove(archive))
	}
	return image.Digest()
}

// push pushes the images of all platforms, under all tags, with the credentials of `docker login`.
func push(ctx context.Context, o options, repository name.Repository, index v1.ImageIndex) (v1.Hash, error) {
	for _, tag := range o.tags {
		if err := remote.WriteIndex(repository.Tag(tag), index, remote.WithContext(ctx), remote.WithAuthFromKeychain(authn.DefaultKeychain)); err != nil {
			return v1.Hash{}, err
		}
	}
	return index.Digest()
}

// labels returns the labels of an image (https://specs.opencontainers.org/image-spec/annotations).
func labels(o options, c component.Component) map[string]string {
	const prefix = "org.opencontainers.image."
	labels := map[string]string{
		prefix + "title": "chatserver-" + c.Name, prefix + "description": c.About, prefix + "version": o.version,
		prefix + "licenses": "Apache-2.0", prefix + "source": "https://github.com/chatserver/chatserver",
	}
	if o.revision != "" {
		labels[prefix+"revision"] = o.revision
	}
	return labels
}
