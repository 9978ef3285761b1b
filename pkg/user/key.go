package user

import (
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"io"
)

// keyLength is the length of API keys in characters.
const keyLength = 32

const keyAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

// NewKey makes an API key: 32 letters and digits, each as likely as the others.
func NewKey() (string, error) { return newKey(rand.Reader) }

func newKey(random io.Reader) (string, error) {
	// A byte is taken only below the greatest multiple of the alphabet, else the first letters
	// would come more often.
	const fair = 256 - 256%len(keyAlphabet)
	key := make([]byte, 0, keyLength)
	buf := make([]byte, keyLength)
	for {
		if _, err := io.ReadFull(random, buf); err != nil {
			return "", fmt.Errorf("generate API key: %w", err)
		}
		for _, b := range buf {
			if int(b) < fair {
				key = append(key, keyAlphabet[int(b)%len(keyAlphabet)])
			}
			if len(key) == keyLength {
				return string(key), nil
			}
		}
	}
}

// HashKey returns the hash that is stored of an API key.
func HashKey(key string) [sha256.Size]byte { return sha256.Sum256([]byte(key)) }
