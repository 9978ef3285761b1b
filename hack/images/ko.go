package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"chatserver.dev/hack/images/component"
)

// The base image's name is noted in every image, so it has to be the same always, which a loopback
// address with a free port is not. Names under .localhost are asked for by plain HTTP, too.
const (
	baseHost = "chatserver.localhost"
	basePath = "base:latest"
)

// baseServer has the base image, in memory.
type baseServer struct {
	server  *http.Server
	address string
}

// serveBase starts a registry on a free loopback port and puts the base image into it.
func serveBase(ctx context.Context) (*baseServer, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listening for ko: %w", err)
	}
	b := &baseServer{
		server:  &http.Server{Handler: registry.New(registry.Logger(log.New(io.Discard, "", 0))), ReadHeaderTimeout: 10 * time.Second},
		address: listener.Addr().String(),
	}
	go func() {
		if err := b.server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			fmt.Fprintln(os.Stderr, "images: serving the base image:", err)
		}
	}()
	if err := b.fill(ctx); err != nil {
		b.close()
		return nil, err
	}
	return b, nil
}

func (b *baseServer) fill(ctx context.Context) error {
	index, err := base()
	if err != nil {
		return err
	}
	tag, err := name.NewTag(b.address + "/" + basePath)
	if err != nil {
		return fmt.Errorf("naming the base image: %w", err)
	}
	if err := remote.WriteIndex(tag, index, remote.WithContext(ctx)); err != nil {
		return fmt.Errorf("storing the base image: %w", err)
	}
	return nil
}

func (b *baseServer) close() { _ = b.server.Close() }

// build builds one image and gives its reference, with its digest. The archive, or the reference of what
// was pushed, and the bills of materials are in the folder then.
func build(ctx context.Context, o options, base *baseServer, c component.Component) (string, error) {
	args := []string{
		"build", c.Program, "--base-import-paths", "--tags", strings.Join(o.tags, ","), "--platform", strings.Join(o.platforms, ","),
		"--sbom-dir", o.folder, "--image-label", labels(o, c), "--image-annotation", labels(o, c),
	}
	archive := filepath.Join(o.folder, c.Name+".tar")
	if !o.push {
		args = append(args, "--push=false", "--tarball", archive)
	}
	environment, err := environment(o, base)
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, o.ko, args...)
	cmd.Dir = filepath.Join(o.root, c.Module)
	cmd.Env = environment
	var reference, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &reference, &said
	if err := cmd.Run(); err != nil {
		err = fmt.Errorf("building the image of %s: %w\n%s", c.Name, err, said.String())
		// ko leaves an empty archive, and one of an earlier build would be taken for this one.
		if removal := os.Remove(archive); removal != nil && !errors.Is(removal, os.ErrNotExist) {
			err = errors.Join(err, removal)
		}
		return "", err
	}
	built := strings.TrimSpace(reference.String())
	if err := os.WriteFile(filepath.Join(o.folder, c.Name+".ref"), []byte(built+"\n"), 0o644); err != nil {
		return "", fmt.Errorf("noting the image of %s: %w", c.Name, err)
	}
	return built, nil
}

// environment is ko's. The base image's server is its proxy for plain HTTP, and so answers in the name of
// baseHost; the registry that images are pushed to is none of the proxy's business.
func environment(o options, base *baseServer) ([]string, error) {
	repository, err := name.NewRepository(o.repository)
	if err != nil {
		return nil, fmt.Errorf("-repository %s: %w", o.repository, err)
	}
	direct := repository.RegistryStr()
	if more := cmp.Or(os.Getenv("NO_PROXY"), os.Getenv("no_proxy")); more != "" {
		direct += "," + more
	}
	return append(
		os.Environ(),
		"HTTP_PROXY="+base.address, "http_proxy="+base.address, "NO_PROXY="+direct, "no_proxy="+direct,
		"KO_DEFAULTBASEIMAGE="+baseHost+"/"+basePath,
		"KO_CONFIG_PATH="+o.root,
		"KO_DOCKER_REPO="+o.repository,
		"VERSION="+o.version,
		"GOWORK=off",
	), nil
}

// labels gives what an image says of itself, https://specs.opencontainers.org/image-spec/annotations.
func labels(o options, c component.Component) string {
	pairs := []string{
		"title=chatserver-" + c.Name,
		"description=" + c.About,
		"version=" + o.version,
		"licenses=Apache-2.0",
		"source=https://github.com/chatserver/chatserver",
	}
	if o.revision != "" {
		pairs = append(pairs, "revision="+o.revision)
	}
	for i := range pairs {
		pairs[i] = "org.opencontainers.image." + pairs[i]
	}
	return strings.Join(pairs, ",")
}
