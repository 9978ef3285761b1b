package main

import (
	"bytes"
	"crypto"
	"log"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/sigstore/cosign/v2/pkg/cosign"
	"github.com/sigstore/sigstore/pkg/cryptoutils"
	"github.com/sigstore/sigstore/pkg/signature"
)

// newRegistry starts a registry, and returns its address.
func newRegistry(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(registry.New(registry.Logger(log.New(t.Output(), "", 0))))
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}

// newKey creates a key pair like cosign, and returns the file of the private key and the public key.
func newKey(t *testing.T, password string) (file string, public signature.Verifier) {
	t.Helper()
	pair, err := cosign.GenerateKeyPair(func(bool) ([]byte, error) { return []byte(password), nil })
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "cosign.key")
	if err := os.WriteFile(file, pair.PrivateBytes, 0o600); err != nil {
		t.Fatal(err)
	}
	key, err := cryptoutils.UnmarshalPEMToPublicKey(pair.PublicBytes)
	if err != nil {
		t.Fatal(err)
	}
	if public, err = signature.LoadVerifier(key, crypto.SHA256); err != nil {
		t.Fatal(err)
	}
	return file, public
}

// pushImage pushes an image of two platforms, as `make images PUSH=1` does, and records its reference.
func pushImage(t *testing.T, folder, repository, component string) {
	t.Helper()
	index, err := random.Index(256, 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	tag, err := name.NewTag(repository + "/" + component + ":1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	if err := remote.WriteIndex(tag, index); err != nil {
		t.Fatal(err)
	}
	sum, err := index.Digest()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, component+".ref"), []byte(tag.String()+"@"+sum.String()+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}

// verify does the same as `cosign verify --key`. It returns the number of signatures by the key.
func verify(t *testing.T, reference string, public signature.Verifier) (int, error) {
	t.Helper()
	digest, err := name.NewDigest(reference)
	if err != nil {
		t.Fatal(err)
	}
	found, _, err := cosign.VerifyImageSignatures(t.Context(), digest, &cosign.CheckOpts{
		SigVerifier: public, ClaimVerifier: cosign.SimpleClaimVerifier, IgnoreTlog: true, IgnoreSCT: true,
	})
	return len(found), err
}

func helmProgram(t *testing.T) string {
	t.Helper()
	program, err := exec.LookPath(os.Getenv("HELM"))
	if err != nil {
		t.Fatalf("HELM names no program; `make publish/test` sets it: %v", err)
	}
	return program
}

// Images and charts are pushed, and their signatures are valid for the public key and for no other.
func TestPublish(t *testing.T) {
	repository, folder := newRegistry(t)+"/chat", t.TempDir()
	components := []string{"api", "events", "operator", "webhook"}
	for _, component := range components {
		pushImage(t, folder, repository, component)
	}
	key, public := newKey(t, "secret")
	_, other := newKey(t, "")
	args := []string{"-images", folder, "-repository", repository, "-version", "1.2.3", "-helm", helmProgram(t), "-key", key}
	output := &bytes.Buffer{}
	for range 2 { // repeating it changes nothing
		output.Reset()
		if err := run(t.Context(), args, "secret", output); err != nil {
			t.Fatal(err)
		}
	}
	references := strings.Fields(output.String())
	if len(references) != 6 {
		t.Fatalf("published are %v", references)
	}
	for _, reference := range references {
		if n, err := verify(t, reference, public); err != nil || n != 1 {
			t.Errorf("%s has %d signatures, %v", reference, n, err)
		}
		if n, err := verify(t, reference, other); err == nil {
			t.Errorf("%s has %d signatures of another key", reference, n)
		}
	}
	for _, chart := range []string{"chatserver-operator", "chatserver"} {
		pulled := exec.CommandContext(t.Context(), helmProgram(t), "show", "chart", "oci://"+repository+"/charts/"+chart, "--version", "1.2.3", "--plain-http")
		if text, err := pulled.CombinedOutput(); err != nil || !strings.Contains(string(text), "appVersion: 1.2.3") || !slices.ContainsFunc(references, func(r string) bool { return strings.HasPrefix(r, repository+"/charts/"+chart+":1.2.3@sha256:") }) {
			t.Errorf("chart %s: %v\n%s", chart, err, text)
		}
	}
}

// A signature belongs to one image. A later image with the same name has none.
func TestAnotherImageIsntSigned(t *testing.T) {
	repository, folder := newRegistry(t)+"/chat", t.TempDir()
	file, public := newKey(t, "")
	signer, err := loadKey(file, "")
	if err != nil {
		t.Fatal(err)
	}
	reference := func() string {
		pushImage(t, folder, repository, "api")
		references, err := pushed(options{images: folder, components: "api", repository: repository, version: "1.2.3"})
		if err != nil {
			t.Fatal(err)
		}
		return references[0]
	}
	first := reference()
	if err := sign(t.Context(), signer, first); err != nil {
		t.Fatal(err)
	}
	if second := reference(); second == first {
		t.Fatal("the images are equal")
	} else if n, err := verify(t, second, public); err == nil {
		t.Errorf("the other image has %d signatures", n)
	}
}

func TestWhatCantBePublished(t *testing.T) {
	repository, folder := newRegistry(t)+"/chat", t.TempDir()
	key, _ := newKey(t, "secret")
	for _, component := range []string{"api", "events", "operator"} {
		pushImage(t, folder, repository, component)
	}
	for _, c := range []struct {
		repository, components, key, password, message string
	}{
		{"", "api", key, "secret", "-repository, -version and -key are required"},
		{repository, "api", key, "wrong", "with the password in COSIGN_PASSWORD"},
		{repository, "api", filepath.Join(folder, "api.ref"), "", "read the key"},
		{repository, "api webhook", key, "secret", "make images PUSH=1"},
		{"registry.test/other", "api", key, "secret", "not registry.test/other/api:1.2.3@sha256:"},
	} {
		err := run(t.Context(), []string{"-images", folder, "-components", c.components, "-repository", c.repository, "-version", "1.2.3", "-key", c.key}, c.password, &bytes.Buffer{})
		if err == nil || !strings.Contains(err.Error(), c.message) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
