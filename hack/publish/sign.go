package main

import (
	"bytes"
	"context"
	"crypto"
	"encoding/base64"
	"fmt"
	"os"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	cosignremote "github.com/sigstore/cosign/v2/pkg/cosign/remote"
	"github.com/sigstore/cosign/v2/pkg/oci/mutate"
	ociremote "github.com/sigstore/cosign/v2/pkg/oci/remote"
	"github.com/sigstore/cosign/v2/pkg/oci/static"
	"github.com/sigstore/sigstore/pkg/cryptoutils"
	"github.com/sigstore/sigstore/pkg/signature"
	"github.com/sigstore/sigstore/pkg/signature/payload"
)

// loadKey reads a private key in PEM, made by cosign or openssl.
func loadKey(file, password string) (signature.SignerVerifier, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read the key: %w", err)
	}
	key, err := cryptoutils.UnmarshalPEMToPrivateKey(text, func(bool) ([]byte, error) { return []byte(password), nil })
	if err != nil {
		return nil, fmt.Errorf("read the key in %s with the password in COSIGN_PASSWORD: %w", file, err)
	}
	signer, err := signature.LoadSignerVerifier(key, crypto.SHA256)
	if err != nil {
		return nil, fmt.Errorf("use the key in %s: %w", file, err)
	}
	return signer, nil
}

// sign signs the image or chart that a reference names by its digest, and stores the signature beside it, unless it
// already has one by this key. Credentials are those of `docker login`.
func sign(ctx context.Context, signer signature.SignerVerifier, reference string) error {
	digest, err := name.NewDigest(reference)
	if err != nil {
		return fmt.Errorf("sign %s: %w", reference, err)
	}
	if err := attach(signer, digest, ociremote.WithRemoteOptions(remote.WithContext(ctx), remote.WithAuthFromKeychain(authn.DefaultKeychain))); err != nil {
		return fmt.Errorf("sign %s: %w", reference, err)
	}
	return nil
}

func attach(signer signature.SignerVerifier, digest name.Digest, options ociremote.Option) error {
	document, err := payload.Cosign{Image: digest}.MarshalJSON()
	if err != nil {
		return err
	}
	signed, err := signer.SignMessage(bytes.NewReader(document))
	if err != nil {
		return err
	}
	made, err := static.NewSignature(document, base64.StdEncoding.EncodeToString(signed))
	if err != nil {
		return err
	}
	entity, err := ociremote.SignedEntity(digest, options)
	if err != nil {
		return err
	}
	entity, err = mutate.AttachSignatureToEntity(entity, made, mutate.WithDupeDetector(cosignremote.NewDupeDetector(signer)))
	if err != nil {
		return err
	}
	return ociremote.WriteSignatures(digest.Repository, entity, options)
}

// plain reports whether a registry is used without TLS, as one on this machine is.
func plain(repository string) bool {
	parsed, err := name.NewRepository(repository)
	return err == nil && parsed.Scheme() == "http"
}
