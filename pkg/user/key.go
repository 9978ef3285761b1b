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

// NewKey returns a new API key of 32 random letters and digits, all equally likely.
func NewKey() (string, error) { return newKey(rand.Reader) }

func newKey(random io.Reader) (string, error) {
	// Bytes from the largest multiple of the alphabet's length on are skipped, since they would make the first letters more
	// likely.
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

// HashKey returns the hash of an API key, which is stored in its place.
func HashKey(key string) [sha256.Size]byte { return sha256.Sum256([]byte(key)) }
