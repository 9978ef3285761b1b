package secrets

import (
	"crypto/ecdh"
	"crypto/rand"
	"encoding/base64"
	"fmt"
)

// WebPushKey is the key of the Secret with the private key by which push services know a server: 32 bytes of P-256 in base64url.
const WebPushKey = "private-key"

// WebPush returns the desired data of that Secret. It keeps an existing key: browsers have subscribed for it. The error is one of the
// system's randomness.
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
