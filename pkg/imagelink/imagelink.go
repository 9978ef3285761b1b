// Package imagelink makes and checks the addresses on this server under which readers get images of other servers
// (rest-api.md, section 7.9): /external_content/{digest}/{address in hexadecimal digits}. The digest is the
// HMAC-SHA256 of the address under a key of this server, so that nobody can have the server fetch what nobody posted.
package imagelink

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"time"
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
	// readPeriod is how often the keys are read again at most, when an address doesn't fit any.
	readPeriod = 10 * time.Second
)

// Keys reads the keys, the newest first.
type Keys func(ctx context.Context) ([][]byte, error)

// Signer makes and checks addresses. It is safe for concurrent use.
type Signer struct {
	read Keys
	now  func() time.Time

	mutex sync.RWMutex
	keys  [][]byte
	asked time.Time
}

// New reads the keys and makes a signer of them. It fails if there are none.
func New(ctx context.Context, read Keys, now func() time.Time) (*Signer, error) {
	keys, err := read(ctx)
	if err != nil {
		return nil, err
	}
	if len(keys) == 0 {
		return nil, errors.New("there is no key for image addresses: run \"insert into image_keys default values\" as the database's owner")
	}
	return &Signer{read: read, now: now, keys: keys, asked: now()}, nil
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
	s.mutex.RLock()
	defer s.mutex.RUnlock()
	return prefix + hex.EncodeToString(digest(s.keys[0], address)) + "/" + hex.EncodeToString([]byte(address))
}

// Allowed reports whether u is an address that the server may fetch: http or https, with a host and without a name or
// password.
func Allowed(u *url.URL) bool {
	return (u.Scheme == "http" || u.Scheme == "https") && u.Opaque == "" && u.Hostname() != "" && u.User == nil
}

// Address returns the address of the image whose path has these two segments, and false if this server didn't sign it.
// A key that another process has begun to use is noticed within ten seconds.
func (s *Signer) Address(ctx context.Context, sum, encoded string) (string, bool) {
	given, err := hex.DecodeString(sum)
	if err != nil || len(given) != sha256.Size || len(encoded) > 2*maxAddress {
		return "", false
	}
	decoded, err := hex.DecodeString(encoded)
	if err != nil {
		return "", false
	}
	address := string(decoded)
	s.mutex.RLock()
	signed := fits(s.keys, given, address)
	s.mutex.RUnlock()
	return address, signed || fits(s.readAgain(ctx), given, address)
}

// readAgain returns the keys as they are now, and none if they were read not long ago or can't be read.
func (s *Signer) readAgain(ctx context.Context) [][]byte {
	s.mutex.Lock()
	now := s.now()
	due := now.Sub(s.asked) >= readPeriod
	if due {
		s.asked = now
	}
	s.mutex.Unlock()
	if !due {
		return nil
	}
	keys, err := s.read(ctx)
	if err != nil || len(keys) == 0 {
		return nil // what can't be read now is read with a later request
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.keys = keys
	return keys
}

// fits reports whether any of the keys makes this digest of an address.
func fits(keys [][]byte, given []byte, address string) bool {
	for _, key := range keys {
		if hmac.Equal(given, digest(key, address)) {
			return true
		}
	}
	return false
}

func digest(key []byte, address string) []byte {
	mac := hmac.New(sha256.New, key)
	_, _ = mac.Write([]byte(address)) // never fails
	return mac.Sum(nil)
}
