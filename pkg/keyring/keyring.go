// Package keyring signs texts with keys that all processes of a server share. The keys can be replaced while the processes run.
package keyring

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"math"
	"sync"
	"time"
)

// Size is the size of a signature in bytes.
const Size = sha256.Size

// readPeriod is the minimum time between two reads of the keys, which happen if a signature matches no key.
const readPeriod = 10 * time.Second

// Keys reads the keys, the newest first.
type Keys func(ctx context.Context) ([][]byte, error)

// Ring makes and checks signatures: the HMAC-SHA256 of a text. Callers that sign texts of different kinds have to make sure that no
// text of one kind is valid as another kind. Ring is safe for concurrent use.
type Ring struct {
	read Keys
	now  func() time.Time

	mutex sync.RWMutex
	keys  [][]byte
	asked time.Time
}

// New reads the keys and returns a ring with them. It fails if there are none.
func New(ctx context.Context, read Keys, now func() time.Time) (*Ring, error) {
	keys, err := read(ctx)
	if err != nil {
		return nil, err
	}
	if len(keys) == 0 {
		return nil, errors.New("there is no key to sign with")
	}
	return &Ring{read: read, now: now, keys: keys, asked: now()}, nil
}

// Sign returns the signature of a text with the newest key.
func (r *Ring) Sign(text string) []byte {
	r.mutex.RLock()
	defer r.mutex.RUnlock()
	return digest(r.keys[0], text)
}

// Signed reports whether a signature of a text is valid with any of the keys. It notices a new key of another process within ten
// seconds.
func (r *Ring) Signed(ctx context.Context, text string, signature []byte) bool {
	return r.signedBy(ctx, math.MaxInt, text, signature)
}

// SignedByNewest is [Ring.Signed] with the newest key alone. It is for signatures that are soon useless anyway: a new key is all
// it takes to void those of a key that has leaked.
func (r *Ring) SignedByNewest(ctx context.Context, text string, signature []byte) bool {
	return r.signedBy(ctx, 1, text, signature)
}

// signedBy reports whether a signature is valid with one of so many of the newest keys.
func (r *Ring) signedBy(ctx context.Context, newest int, text string, signature []byte) bool {
	r.mutex.RLock()
	signed := fits(r.keys[:min(newest, len(r.keys))], signature, text)
	r.mutex.RUnlock()
	if signed {
		return true
	}
	keys := r.readAgain(ctx)
	return fits(keys[:min(newest, len(keys))], signature, text)
}

// readAgain reads the keys and returns them. It returns none if they were read within [readPeriod] or can't be read.
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
		return nil // a later request reads them
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.keys = keys
	return keys
}

// fits reports whether a signature of a text is valid with any of the keys.
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
