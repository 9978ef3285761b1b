package imagelink_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"chatserver.dev/pkg/imagelink"
	"chatserver.dev/pkg/testbed"
)

// keyring contains keys, and counts how often they are read.
type keyring struct {
	keys [][]byte
	err  error
	read int
}

func (k *keyring) all(context.Context) ([][]byte, error) {
	k.read++
	return k.keys, k.err
}

func key(letter string) []byte { return []byte(strings.Repeat(letter, 32)) }

func signer(t *testing.T, keys *keyring, now func() time.Time) *imagelink.Signer {
	t.Helper()
	s, err := imagelink.New(t.Context(), keys.all, now)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// segments returns the two parts of a path.
func segments(t *testing.T, path string) (digest, address string) {
	t.Helper()
	digest, address, ok := strings.Cut(strings.TrimPrefix(path, "/external_content/"), "/")
	if !ok {
		t.Fatalf("the path is %q", path)
	}
	return digest, address
}

func TestPath(t *testing.T) {
	t.Parallel()
	s := signer(t, &keyring{keys: [][]byte{key("k")}}, time.Now)
	const address = "http://a.example/x.png?q=ü"
	mac := hmac.New(sha256.New, key("k"))
	mac.Write([]byte(address))
	want := "/external_content/" + hex.EncodeToString(mac.Sum(nil)) + "/" + hex.EncodeToString([]byte(address))
	if got := s.Path(address); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for _, address := range []string{
		"https://a.example/x.png", "HTTP://A.example:80/x.png", "https://a.example:443/", "http://[2001:db8::1]/x.png", "http://2130706433/x.png",
		"http://a.example/" + strings.Repeat("x", 2048-17),
	} {
		digest, encoded := segments(t, s.Path(address))
		if got, ok := s.Address(t.Context(), digest, encoded); !ok || got != address {
			t.Errorf("%.60s: %.60s, %t", address, got, ok)
		}
	}
	for _, address := range []string{
		"", "x.png", "//a.example/x.png", "/x.png", "ftp://a.example/x.png", "file:///x.png", "data:image/png;base64,AA", "http:x.png", "http:///x.png",
		"http://:80/x.png", "http://u@a.example/x.png", "http://u:p@a.example/x.png", "http://a.example:8080/x.png", "https://a.example:22/x.png",
		"http://a.example:0/x.png", "http://a b/x.png", "http://a.example/%zz", "http://a.example/" + strings.Repeat("x", 2048-16),
	} {
		if got := s.Path(address); got != "" {
			t.Errorf("%.60s: %s", address, got)
		}
	}
}

func TestAddressRefuses(t *testing.T) {
	t.Parallel()
	keys := &keyring{keys: [][]byte{key("k")}}
	clock := testbed.NewClock(time.Unix(1_800_000_000, 0))
	s := signer(t, keys, clock.Now)
	other := signer(t, &keyring{keys: [][]byte{key("o")}}, clock.Now)
	digest, encoded := segments(t, s.Path("http://a.example/x.png"))
	otherDigest, _ := segments(t, other.Path("http://a.example/x.png"))
	digestOfAnother, another := segments(t, s.Path("http://a.example/y.png"))
	for name, c := range map[string][2]string{
		"another address's digest": {digestOfAnother, encoded}, "another address": {digest, another}, "another key's digest": {otherDigest, encoded},
		"nothing": {"", ""}, "no digest": {"", encoded}, "a part of the digest": {digest[:62], encoded}, "a longer digest": {digest + "00", encoded},
		"no digits": {strings.Repeat("g", 64), encoded}, "an odd number of digits": {digest, encoded[:len(encoded)-1]}, "a part of the address": {digest, encoded[:20]},
		"a longer address": {digest, encoded + "00"}, "much": {digest, strings.Repeat("61", 4096)},
	} {
		if got, ok := s.Address(t.Context(), c[0], c[1]); ok {
			t.Errorf("%s: %q", name, got)
		}
	}
	if keys.read != 1 {
		t.Errorf("invalid signatures made the ring read the keys %d times", keys.read)
	}
}

// A new key is used for signing, the previous one is accepted until it is deleted, and processes notice both without
// a restart.
func TestNewKeys(t *testing.T) {
	t.Parallel()
	keys := &keyring{keys: [][]byte{key("a")}}
	clock := testbed.NewClock(time.Unix(1_800_000_000, 0))
	running := signer(t, keys, clock.Now)
	accepted := func(path string) bool {
		digest, encoded := segments(t, path)
		_, ok := running.Address(t.Context(), digest, encoded)
		return ok
	}
	before := running.Path("http://a.example/x.png")
	keys.keys = slices.Insert(keys.keys, 0, key("b"))
	after := signer(t, keys, clock.Now).Path("http://a.example/x.png")
	if before == after || accepted(after) {
		t.Fatal("keys were read more often than every ten seconds")
	}
	clock.Advance(10 * time.Second)
	if !accepted(after) || !accepted(before) || running.Path("http://a.example/x.png") != after {
		t.Error("a new key wasn't noticed, or replaced the previous one")
	}
	keys.keys = keys.keys[:1]
	clock.Advance(10 * time.Second)
	digest, _ := segments(t, before)
	if _, ok := running.Address(t.Context(), digest[2:]+digest[:2], hex.EncodeToString([]byte("http://a.example/x.png"))); ok || accepted(before) {
		t.Error("a deleted key is still accepted")
	}
	keys.err = errors.New("the database is gone")
	clock.Advance(10 * time.Second)
	if accepted(before) || !accepted(after) {
		t.Error("without a database, other keys are accepted")
	}
}

func TestNoKeys(t *testing.T) {
	t.Parallel()
	if _, err := imagelink.New(t.Context(), (&keyring{}).all, time.Now); err == nil {
		t.Error("a signer without a key")
	}
	gone := errors.New("gone")
	if _, err := imagelink.New(t.Context(), (&keyring{err: gone}).all, time.Now); !errors.Is(err, gone) {
		t.Errorf("no database: %v", err)
	}
}

func TestConfig(t *testing.T) {
	t.Parallel()
	if err := (imagelink.Config{Proxy: true, MaxBytes: 1}).Check(); err != nil {
		t.Error(err)
	}
	if err := (imagelink.Config{}).Check(); err == nil || !strings.Contains(err.Error(), "IMAGE_PROXY_MAX_BYTES") {
		t.Errorf("no bytes: %v", err)
	}
}
