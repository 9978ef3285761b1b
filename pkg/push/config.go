package push

import (
	"crypto/ecdh"
	"encoding/base64"
	"errors"
	"net/netip"
)

// Config is the configuration of notifications in browsers.
type Config struct {
	// Key is the private key that identifies this server to push services (RFC 8292): 32 bytes in base64url. Empty:
	// no notifications.
	Key string `env:"WEB_PUSH_SECRET_KEY,unset"`
	// Content says whether notifications contain the text of a message, its sender and its place.
	Content bool `env:"WEB_PUSH_CONTENT" envDefault:"true"`
	// Networks are networks in which push services may be, on any port, in addition to public addresses.
	Networks []netip.Prefix `env:"WEB_PUSH_NETWORKS"`
}

// Keys are the server's key pair in base64url. The zero value means that there is none.
type Keys struct{ Private, Public string }

// Check returns an error if the configuration is invalid. The error doesn't contain the key.
func (c Config) Check() error {
	if c.Key != "" && c.Keys() == (Keys{}) {
		return errors.New("WEB_PUSH_SECRET_KEY: it is not a private key of the curve P-256, 32 bytes in base64url")
	}
	return nil
}

// Keys returns the server's key pair. It returns the zero value if the key is missing or invalid.
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
