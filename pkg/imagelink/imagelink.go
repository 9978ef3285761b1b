// Package imagelink makes and checks the addresses on this server under which readers get images of other servers
// (rest-api.md, section 7.9): /external_content/{digest}/{address in hexadecimal digits}. The digest is the
// HMAC-SHA256 of the address under a key of this server, so that nobody can have the server fetch what nobody posted.
package imagelink

import (
	"context"
	"encoding/hex"
	"fmt"
	"net/url"
	"time"

	"chatserver.dev/pkg/keyring"
)

// Config says whether readers see images of other servers.
type Config struct {
	// Proxy has this server fetch such images for readers. Without it they are links.
	Proxy bool `env:"IMAGE_PROXY" envDefault:"true"`
	// MaxBytes is the size of the largest image that is fetched, in bytes.
	MaxBytes int64 `env:"IMAGE_PROXY_MAX_BYTES" envDefault:"10485760"`
}

// Check says what is wrong with the configuration.
func (c Config) Check() error {
	if c.MaxBytes < 1 {
		return fmt.Errorf("IMAGE_PROXY_MAX_BYTES must be 1 or more, not %d: to disable images of other servers, set IMAGE_PROXY=false", c.MaxBytes)
	}
	return nil
}

const (
	prefix = "/external_content/"
	// maxAddress is the length in bytes of the longest address that is signed. Twice as much has to fit into the
	// head of a request.
	maxAddress = 2048
)

// Signer makes and checks addresses. It is safe for concurrent use.
type Signer struct{ keys *keyring.Ring }

// New reads the keys and makes a signer of them. It fails if there are none.
func New(ctx context.Context, read keyring.Keys, now func() time.Time) (*Signer, error) {
	keys, err := keyring.New(ctx, read, now)
	if err != nil {
		return nil, err
	}
	return &Signer{keys}, nil
}

// Path returns the path on this server under which readers get the image at address, or "" if the server doesn't
// fetch from there: it asks for http and https at their usual ports, and has no password to show.
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

// Allowed reports whether u is an address that the server may fetch: http or https, with a host and without a name or
// password.
func Allowed(u *url.URL) bool {
	return (u.Scheme == "http" || u.Scheme == "https") && u.Opaque == "" && u.Hostname() != "" && u.User == nil
}

// Address returns the address of the image whose path has these two segments, and false if this server didn't sign it.
// A key that another process starts to use is noticed within ten seconds.
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
