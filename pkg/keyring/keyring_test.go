package keyring_test

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"chatserver.dev/pkg/keyring"
)

var errDown = errors.New("the database is down")

// world contains the keys that a ring reads, and its clock.
type world struct {
	keys  []string // newest first
	err   error
	reads int
	now   time.Time
}

func (w *world) read(context.Context) (keys [][]byte, err error) {
	w.reads++
	for _, key := range w.keys {
		keys = append(keys, []byte(key))
	}
	return keys, w.err
}

func newRing(t *testing.T, keys ...string) (*world, *keyring.Ring) {
	t.Helper()
	w := &world{keys: keys, now: time.Unix(1e9, 0)}
	ring, err := keyring.New(t.Context(), w.read, func() time.Time { return w.now })
	if err != nil {
		t.Fatal(err)
	}
	return w, ring
}

// by returns the signature of "text" with a key.
func by(t *testing.T, key string) []byte {
	t.Helper()
	_, ring := newRing(t, key)
	return ring.Sign("text")
}

func TestSignatures(t *testing.T) {
	t.Parallel()
	_, ring := newRing(t, "new", "old")
	signature := ring.Sign("text")
	if len(signature) != keyring.Size || !bytes.Equal(signature, by(t, "new")) {
		t.Errorf("%x isn't the signature under the newest key", signature)
	}
	for what, c := range map[string]struct {
		text      string
		signature []byte
		want      bool
	}{
		"one's own":       {"text", signature, true},
		"an older key":    {"text", by(t, "old"), true},
		"an unknown key":  {"text", by(t, "foreign"), false},
		"no key":          {"text", by(t, ""), false},
		"another text":    {"texts", signature, false},
		"no text":         {"", signature, false},
		"a part":          {"text", signature[:keyring.Size-1], false},
		"more":            {"text", append(bytes.Clone(signature), 0), false},
		"nothing":         {"text", nil, false},
		"a bit of it off": {"text", append(bytes.Clone(signature[:keyring.Size-1]), signature[keyring.Size-1]^1), false},
	} {
		if got := ring.Signed(t.Context(), c.text, c.signature); got != c.want {
			t.Errorf("%s: %t", what, got)
		}
		if got := ring.SignedByNewest(t.Context(), c.text, c.signature); got != (c.want && what != "an older key") {
			t.Errorf("%s, by the newest key alone: %t", what, got)
		}
	}
}

// A key that another process begins to use is noticed within ten seconds, and then used for signing. Invalid
// signatures don't make the ring read the keys more often.
func TestReplacedKeys(t *testing.T) {
	t.Parallel()
	w, ring := newRing(t, "old")
	before := ring.Sign("text")
	w.keys = []string{"new"}
	after := by(t, "new")
	w.now = w.now.Add(10*time.Second - 1)
	for range 100 {
		if ring.Signed(t.Context(), "text", after) || !ring.Signed(t.Context(), "text", before) {
			t.Fatal("the keys were read early")
		}
	}
	if w.reads != 1 {
		t.Errorf("the keys were read %d times", w.reads)
	}
	w.now = w.now.Add(1)
	if !ring.Signed(t.Context(), "text", before) || w.reads != 1 {
		t.Error("a valid signature caused a read of the keys")
	}
	if !ring.Signed(t.Context(), "text", after) || ring.Signed(t.Context(), "text", before) || !bytes.Equal(ring.Sign("text"), after) {
		t.Error("the new key isn't used")
	}
	for range 100 {
		ring.Signed(t.Context(), "text", []byte("wrong"))
	}
	if w.reads != 2 {
		t.Errorf("the keys were read %d times", w.reads)
	}
}

// A new key voids signatures by an older one that has to be the newest, within ten seconds of the first signature by the new one.
func TestNewestKey(t *testing.T) {
	t.Parallel()
	w, ring := newRing(t, "old")
	w.keys = []string{"new", "old"}
	w.now = w.now.Add(10 * time.Second)
	if !ring.SignedByNewest(t.Context(), "text", by(t, "new")) {
		t.Error("the new key isn't noticed")
	}
	if ring.SignedByNewest(t.Context(), "text", by(t, "old")) || !ring.Signed(t.Context(), "text", by(t, "old")) {
		t.Error("the older key")
	}
}

// While the keys can't be read, the cached ones are used.
func TestKeysOutOfReach(t *testing.T) {
	t.Parallel()
	w, ring := newRing(t, "key")
	signature := ring.Sign("text")
	for _, state := range []world{{err: errDown}, {keys: []string{"new"}, err: errDown}, {}} {
		w.keys, w.err = state.keys, state.err
		w.now = w.now.Add(time.Minute)
		if ring.Signed(t.Context(), "text", by(t, "new")) || !ring.Signed(t.Context(), "text", signature) || !bytes.Equal(ring.Sign("text"), signature) {
			t.Errorf("%+v: the cached key isn't accepted", state)
		}
	}
	if w.reads != 4 {
		t.Errorf("the keys were read %d times", w.reads)
	}
	for _, w := range []*world{{err: errDown}, {}, {keys: []string{"key"}, err: errDown}} {
		if ring, err := keyring.New(t.Context(), w.read, time.Now); err == nil || w.err != nil && !errors.Is(err, errDown) {
			t.Errorf("a ring %v of %+v: %v", ring, w, err)
		}
	}
}
