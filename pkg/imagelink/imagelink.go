// Package imagelink makes and checks the addresses on this server at which readers get images from other servers
// (rest-api.md, section 7.9): /external_content/{digest}/{address in hexadecimal digits}. The digest is the
// HMAC-SHA256 of the address with a key of this server, so that clients can't make the server fetch arbitrary addresses.
package imagelink

import (
	"context"
	"encoding/hex"
	"fmt"
	"net/url"
	"time"

	"chatserver.dev/pkg/keyring"
)

// Config configures images from other servers.
type Config struct {
	// Proxy makes this server fetch such images for readers. Without it, messages have links to them.
	Proxy bool `env:"IMAGE_PROXY" envDefault:"true"`
	// MaxBytes is the maximum size of an image in bytes.
	MaxBytes int64 `env:"IMAGE_PROXY_MAX_BYTES" envDefault:"10485760"`
}

// Check fails if the configuration is invalid.
func (c Config) Check() error {
	if c.MaxBytes < 1 {
		return fmt.Errorf("IMAGE_PROXY_MAX_BYTES must be 1 or more, not %d: to disable images of other servers, set IMAGE_PROXY=false", c.MaxBytes)
	}
	return nil
}

const (
	prefix = "/external_content/"
	// maxAddress is the maximum length of a signed address in bytes. Its hexadecimal form, which is twice as long, has to fit into the
	// head of a request.
	maxAddress = 2048
)

// Signer makes and checks addresses. It is safe for concurrent use.
type Signer struct{ keys *keyring.Ring }

// New reads the keys and returns a signer with them. It fails if there are none.
func New(ctx context.Context, read keyring.Keys, now func() time.Time) (*Signer, error) {
	keys, err := keyring.New(ctx, read, now)
	if err != nil {
		return nil, err
	}
	return &Signer{keys}, nil
}

// Path returns the path on this server at which readers get the image at address, or "" if the server doesn't
// fetch that address: it fetches only http and https at their default ports, without a user name or password.
func (s *Signer) Path(address string) string {
	u, err := url.Parse(address)
	if err != nil || len(address) > maxAddress || !Allowed(u) {
		return ""
	}
	switch u.Port() {
	case "", "80", "443":
	default:
		return ""
	}
	return prefix + hex.EncodeToString(s.keys.Sign(address)) + "/" + hex.EncodeToString([]byte(address))
}

// Allowed reports whether the server may fetch u: its scheme is http or https, and it has a host and no user name or
// password.
func Allowed(u *url.URL) bool {
	return (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && u.User == nil
}

// Address returns the address of the image whose path has these two segments, or false if this server didn't sign it.
// It notices a new key of another process within ten seconds.
func (s *Signer) Address(ctx context.Context, sum, encoded string) (string, bool) {
	given, err := hex.DecodeString(sum)
	if err != nil || len(given) != keyring.Size || len(encoded) > 2*maxAddress {
		return "", false
	}
	decoded, err := hex.DecodeString(encoded)
	if err != nil {
		return "", false
	}
	address := string(decoded)
	return address, s.keys.Signed(ctx, address, given)
}
