package push_test

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"strings"
	"testing"
	"time"

	"chatserver.dev/pkg/missed"
	"chatserver.dev/pkg/push"
	"chatserver.dev/services/servicetest"
)

// browser is a browser with a subscription at the test's push service.
type browser struct {
	key  *ecdh.PrivateKey
	auth []byte
	path string
}

func newBrowser(t *testing.T, path string) browser {
	t.Helper()
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	b := browser{key: key, auth: make([]byte, 16), path: path}
	_, _ = rand.Read(b.auth)
	return b
}

func encode(of []byte) string { return base64.RawURLEncoding.EncodeToString(of) }

// open decrypts a message to a push service (RFC 8188 and RFC 8291, implemented independently of the server's code).
func (b browser) open(t *testing.T, body []byte) (notice missed.Notice, text string) {
	t.Helper()
	if len(body) > 4096 || len(body) < 21+65+17 || body[20] != 65 {
		t.Fatalf("%d bytes, %x", len(body), body[:min(len(body), 21)])
	}
	salt, from, sealed := body[:16], body[21:86], body[86:]
	sender, err := ecdh.P256().NewPublicKey(from)
	if err != nil {
		t.Fatal(err)
	}
	shared, err := b.key.ECDH(sender)
	if err != nil {
		t.Fatal(err)
	}
	derive := func(secret, salt []byte, info string, length int) []byte {
		derived, err := hkdf.Key(sha256.New, secret, salt, info, length)
		if err != nil {
			t.Fatal(err)
		}
		return derived
	}
	ikm := derive(shared, b.auth, "WebPush: info\x00"+string(b.key.PublicKey().Bytes())+string(from), 32)
	block, err := aes.NewCipher(derive(ikm, salt, "Content-Encoding: aes128gcm\x00", 16))
	if err != nil {
		t.Fatal(err)
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		t.Fatal(err)
	}
	opened, err := gcm.Open(nil, derive(ikm, salt, "Content-Encoding: nonce\x00", 12), sealed, nil)
	if err != nil {
		t.Fatal(err)
	}
	opened = bytes.TrimRight(opened, "\x00")
	text, last := strings.CutSuffix(string(opened), "\x02")
	if err := json.Unmarshal([]byte(text), &notice); err != nil || !last {
		t.Fatalf("%q: %v", text, err)
	}
	return notice, text
}

// identified fails the test unless a request identifies its server and its push service (RFC 8292).
func identified(t *testing.T, authorization, audience string) {
	t.Helper()
	token, key, ok := strings.Cut(strings.TrimPrefix(authorization, "vapid t="), ", k=")
	if public := (push.Config{Key: servicetest.PushKey}).Keys().Public; !ok || key != public {
		t.Fatalf("%q, want the key %s", authorization, public)
	}
	decode := func(text string) []byte {
		decoded, err := base64.RawURLEncoding.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		return decoded
	}
	parts := strings.Split(token, ".")
	if len(parts) != 3 || len(decode(parts[2])) != 64 {
		t.Fatalf("%q", token)
	}
	signature, at := decode(parts[2]), decode(key)
	public, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), at)
	if err != nil {
		t.Fatal(err)
	}
	digest := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	if !ecdsa.Verify(public, digest[:], new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])) {
		t.Errorf("the signature of %s is wrong", token)
	}
	claims := struct {
		Aud string `json:"aud"`
		Sub string `json:"sub"`
		Exp int64  `json:"exp"`
	}{}
	if err := json.Unmarshal(decode(parts[1]), &claims); err != nil {
		t.Fatal(err)
	}
	if left := time.Until(time.Unix(claims.Exp, 0)); claims.Aud != audience || claims.Sub != "https://chat.example" || left < time.Minute || left > 24*time.Hour {
		t.Errorf("%+v", claims)
	}
}
