// Package keyring signs texts with keys that all processes of a server share, and that can be replaced while they run.
package keyring

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"sync"
	"time"
)

// Size is how many bytes a signature has.
const Size = sha256.Size

// readPeriod is how often the keys are read again at most, when a signature doesn't fit any.
const readPeriod = 10 * time.Second

// Keys reads the keys, the newest first.
type Keys func(ctx context.Context) ([][]byte, error)

// Ring makes and checks signatures: the HMAC-SHA256 of a text. Whoever signs texts of different kinds makes sure that none
// of one kind is of another. It is safe for concurrent use.
type Ring struct {
	read Keys
	now  func() time.Time

	mutex sync.RWMutex
	keys  [][]byte
	asked time.Time
}

// New reads the keys and makes a ring of them. It fails if there are none.
func New(ctx context.Context, read Keys, now func() time.Time) (*Ring, error) {
	keys, err := read(ctx)
	if err != nil {
		return nil, err
	}
	if len(keys) == 0 {
		return nil, errors.New("there is no key for image addresses: run \"insert into image_keys default values\" as the database's owner")
	}
	return &Ring{read: read, now: now, keys: keys, asked: now()}, nil
}

// Sign returns the signature of a text under the newest key.
func (r *Ring) Sign(text string) []byte {
	r.mutex.RLock()
	defer r.mutex.RUnlock()
	return digest(r.keys[0], text)
}

// Signed reports whether a signature is that of a text under any of the keys. A key that another process starts to use
// is noticed within ten seconds.
func (r *Ring) Signed(ctx context.Context, text string, signature []byte) bool {
	r.mutex.RLock()
	signed := fits(r.keys, signature, text)
	r.mutex.RUnlock()
	return signed || fits(r.readAgain(ctx), signature, text)
}

// readAgain returns the keys as they are now, and none if they were read not long ago or can't be read.
func (r *Ring) readAgain(ctx context.Context) [][]byte {
	r.mutex.Lock()
	now := r.now()
	due := now.Sub(r.asked) >= readPeriod
	if due {
		r.asked = now
	}
	r.mutex.Unlock()
	if !due {
		return nil
	}
	keys, err := r.read(ctx)
	if err != nil || len(keys) == 0 {
		return nil // what can't be read now is read with a later request
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.keys = keys
	return keys
}

// fits reports whether any of the keys makes this signature of a text.
func fits(keys [][]byte, given []byte, text string) bool {
	for _, key := range keys {
		if hmac.Equal(given, digest(key, text)) {
			return true
		}
	}
	return false
}

func digest(key []byte, text string) []byte {
	mac := hmac.New(sha256.New, key)
	_, _ = mac.Write([]byte(text)) // never fails
	return mac.Sum(nil)
}
