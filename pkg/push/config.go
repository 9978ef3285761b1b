package push

import (
	"crypto/ecdh"
	"encoding/base64"
	"errors"
	"net/netip"
)

// Config says how browsers are notified.
type Config struct {
	// Key is the private key by which push services know this server (RFC 8292): 32 bytes in base64url. Empty: no browser is notified.
	Key string `env:"WEB_PUSH_SECRET_KEY,unset"`
	// Content says whether notifications have what a message says, and who sent it where.
	Content bool `env:"WEB_PUSH_CONTENT" envDefault:"true"`
	// Networks are those in which push services may be, at any port, besides public addresses.
	Networks []netip.Prefix `env:"WEB_PUSH_NETWORKS"`
}

// Keys are the server's key pair, in base64url. The zero value is none.
type Keys struct{ Private, Public string }

// Check says what is wrong. Its error doesn't show the key.
func (c Config) Check() error {
	if c.Key != "" && c.Keys() == (Keys{}) {
		return errors.New("WEB_PUSH_SECRET_KEY: it is not a private key of the curve P-256, 32 bytes in base64url")
	}
	return nil
}

// Keys returns the server's key pair; none without a key, or with an invalid one.
func (c Config) Keys() Keys {
	encoded, err := base64.RawURLEncoding.DecodeString(c.Key)
	if err != nil {
		return Keys{}
	}
	key, err := ecdh.P256().NewPrivateKey(encoded)
	if err != nil {
		return Keys{}
	}
	return Keys{c.Key, base64.RawURLEncoding.EncodeToString(key.PublicKey().Bytes())}
}
