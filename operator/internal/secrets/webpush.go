package secrets

import (
	"crypto/ecdh"
	"crypto/rand"
	"encoding/base64"
	"fmt"
)

// WebPushKey is the key of the Secret with the private key that identifies a server to push services: 32 bytes of P-256
// in base64url.
const WebPushKey = "private-key"

// WebPush returns the desired data of that Secret. It keeps an existing key, since subscriptions of browsers depend on
// it. It fails only if the system's random source fails.
func WebPush(existing map[string][]byte) (map[string][]byte, error) {
	if len(existing[WebPushKey]) > 0 {
		return existing, nil
	}
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("generate key: %w", err)
	}
	return fill(existing, map[string]string{WebPushKey: base64.RawURLEncoding.EncodeToString(key.Bytes())}), nil
}
