package main

import (
	"archive/tar"
	"bytes"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"

	"chatserver.dev/hack/images/component"
	"chatserver.dev/pkg/testbed"
)

// version is a text that doesn't occur elsewhere in a program.
const version = "7.65.432-images"

// contents returns the files of an image; folders have nil.
func contents(t *testing.T, image v1.Image) (map[string]*tar.Header, map[string][]byte) {
	t.Helper()
	files := mutate.Extract(image)
	defer files.Close()
	headers, texts := map[string]*tar.Header{}, map[string][]byte{}
	for r := tar.NewReader(files); ; {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			return headers, texts
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		path := strings.Trim(header.Name, "/")
		headers[path], texts[path] = header, text
	}
}

// The archive of a real service, as a cluster gets it, contains only the program and its dependencies.
func TestArchive(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped in short mode: it builds programs or starts servers")
	}
	testbed.Uncached()
	folder := t.TempDir()
	var out strings.Builder
	err := run(t.Context(), []string{
		"-root", "../..", "-folder", folder, "-version", version, "-repository", "registry.example/chat", "-revision", "abc123", "webhook",
	}, &out)
	if err != nil {
		t.Fatal(err)
	}
	const reference = "registry.example/chat/webhook:" + version
	if !strings.HasPrefix(out.String(), reference+"@sha256:") {
		t.Errorf("it printed %q, want the reference of %s", out.String(), reference)
	}
	tag, err := name.NewTag(reference)
	if err != nil {
		t.Fatal(err)
	}
	archive := filepath.Join(folder, "webhook.tar")
	image, err := tarball.ImageFromPath(archive, &tag)
	if err != nil {
		t.Fatalf("the archive lacks %s: %v", reference, err)
	}
	checkConfig(t, image)
	checkContents(t, image)
	info, err := os.Stat(archive)
	if err != nil {
		t.Fatal(err)
	}
	if limit := int64(25 << 20); info.Size() > limit {
		t.Errorf("the archive has %d bytes, which is more than %d", info.Size(), limit)
	}
	bill, err := os.ReadFile(filepath.Join(folder, "webhook-linux-"+runtime.GOARCH+".spdx.json"))
	if err != nil || !bytes.Contains(bill, []byte("github.com/redis/go-redis/v9")) {
		t.Errorf("the bill of materials (%v) doesn't name a module that the service has: %.300s", err, bill)
	}
}

func checkConfig(t *testing.T, image v1.Image) {
	t.Helper()
	config, err := image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	got := config.Config
	const prefix = "org.opencontainers.image."
	want := v1.Config{
		User: "65532:65532", WorkingDir: "/", Entrypoint: []string{"/bin/webhook"}, Env: []string{"PATH=/bin"},
		Labels: map[string]string{
			prefix + "title": "chatserver-webhook", prefix + "description": "Incoming webhooks of chatserver", prefix + "version": version,
			prefix + "licenses": "Apache-2.0", prefix + "source": "https://github.com/chatserver/chatserver", prefix + "revision": "abc123",
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the configuration (-want +got):\n%s", diff)
	}
	if config.OS != "linux" || config.Architecture != runtime.GOARCH {
		t.Errorf("it is for %s/%s, want linux/%s", config.OS, config.Architecture, runtime.GOARCH)
	}
	if !config.Created.IsZero() && config.Created.Unix() != 0 {
		t.Errorf("it was created %v: a time makes the images of equal sources differ", config.Created)
	}
}

func checkContents(t *testing.T, image v1.Image) {
	t.Helper()
	headers, texts := contents(t, image)
	var runnable []string
	for path, header := range headers {
		if header.Typeflag == tar.TypeReg && header.Mode&0o111 != 0 {
			runnable = append(runnable, path)
		}
	}
	if !slices.Equal(runnable, []string{"bin/webhook"}) {
		t.Errorf("these can be run: %q, want nothing but the service", runnable)
	}
	if program := texts["bin/webhook"]; !bytes.Contains(program, []byte(version)) {
		t.Errorf("the version isn't in the program (%d bytes)", len(program))
	}
	if tmp := headers["tmp"]; tmp == nil || tmp.Mode != 0o1777 {
		t.Errorf("/tmp is %+v, want a folder that all can write to", tmp)
	}
	if passwd := texts["etc/passwd"]; !bytes.Contains(passwd, []byte("\nnonroot:x:65532:65532:")) {
		t.Errorf("/etc/passwd lacks nonroot:\n%s", passwd)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(texts["etc/ssl/certs/ca-certificates.crt"]) || len(texts["etc/ssl/certs/ca-certificates.crt"]) < 100_000 {
		t.Error("the certificates of authorities are missing, or few")
	}
}

// A pushed image has all architectures and the bills of materials, and builds are reproducible.
func TestPush(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped in short mode: it builds programs or starts servers")
	}
	testbed.Uncached()
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	defer server.Close()
	repository := strings.TrimPrefix(server.URL, "http://") + "/chat"
	probe := component.Component{Name: "probe", Module: "hack/images/testdata/probe", About: "Nothing", Program: "."}
	push := func() string {
		_, o, err := parse([]string{"-root", "../..", "-folder", t.TempDir(), "-version", version, "-repository", repository, "-push"})
		if err != nil {
			t.Fatal(err)
		}
		reference, err := build(t.Context(), o, probe)
		if err != nil {
			t.Fatal(err)
		}
		noted, err := os.ReadFile(filepath.Join(o.folder, "probe.ref"))
		if err != nil || string(noted) != reference+"\n" {
			t.Errorf("the reference %s is noted as %q (%v)", reference, noted, err)
		}
		return reference
	}
	reference := push()
	if again := push(); again != reference {
		t.Errorf("the same sources make %s, then %s", reference, again)
	}
	digest, err := name.NewDigest(reference)
	if err != nil {
		t.Fatal(err)
	}
	index, err := remote.Index(digest)
	if err != nil {
		t.Fatal(err)
	}
	checkIndex(t, digest.Repository, index)
	tagged, err := remote.Head(digest.Tag(version))
	if err != nil || tagged.Digest.String() != digest.DigestStr() {
		t.Errorf("the tag %s leads to %v (%v), want %s", version, tagged, err, digest.DigestStr())
	}
}

func checkIndex(t *testing.T, repository name.Repository, index v1.ImageIndex) {
	t.Helper()
	manifest, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	var platforms []string
	var digests []v1.Hash
	for _, m := range manifest.Manifests {
		platforms, digests = append(platforms, m.Platform.String()), append(digests, m.Digest)
	}
	if want := []string{"linux/amd64", "linux/arm64"}; !slices.Equal(platforms, want) {
		t.Errorf("the index has %q, want %q", platforms, want)
	}
	for _, digest := range digests {
		bill, err := remote.Image(repository.Tag(fmt.Sprintf("%s-%s.sbom", digest.Algorithm, digest.Hex)))
		if err != nil {
			t.Errorf("%s has no bill of materials: %v", digest, err)
			continue
		}
		layers, err := bill.Layers()
		if err != nil || len(layers) != 1 {
			t.Errorf("the bill of materials of %s has %d layers (%v)", digest, len(layers), err)
		}
	}
}

func TestWrongArguments(t *testing.T) {
	for _, test := range []struct{ args, want string }{
		{"-version 1.2", `-version "1.2" is not a semantic version`},
		{"-version 1.2.3+abc", "not a semantic version that can be a tag"},
		{"-version 1.2.3", "-repository : "},
		{"-version 1.2.3 -repository r -platforms linux/amd64,linux/arm64", "an archive has the image of one platform"},
		{"-version 1.2.3 -repository r apis", `no component "apis"; there are api, events, webhook, operator, gateway`},
		{"-version 1.2.3 -repository r/CHAT", "-repository r/CHAT"},
	} {
		args := append([]string{"-folder", filepath.Join(t.TempDir(), "images")}, strings.Fields(test.args)...)
		err := run(t.Context(), args, io.Discard)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %q", test.args, err, test.want)
		}
	}
}

// A failed build reports the compiler's output, and leaves no archive of an earlier build.
func TestBuildFails(t *testing.T) {
	module, folder := t.TempDir(), t.TempDir()
	for path, text := range map[string]string{
		filepath.Join(module, "go.mod"):     "module chatserver.dev/broken\n\ngo 1.26.0\n",
		filepath.Join(module, "main.go"):    "package main\n\nfunc main() { missing() }\n",
		filepath.Join(folder, "broken.tar"): "an earlier image",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, o, err := parse([]string{"-root", "../..", "-folder", folder, "-version", version, "-repository", "registry.example/chat"})
	if err != nil {
		t.Fatal(err)
	}
	path, err := filepath.Rel(o.root, module)
	if err != nil {
		t.Fatal(err)
	}
	_, err = build(t.Context(), o, component.Component{Name: "broken", Module: path, About: "Nothing", Program: "."})
	if err == nil || !strings.Contains(err.Error(), "undefined: missing") {
		t.Errorf("building what doesn't compile returns %v", err)
	}
	if info, err := os.Stat(filepath.Join(folder, "broken.tar")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after a failure there is an archive: %v (%v)", info, err)
	}
}
