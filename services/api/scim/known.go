package scim

import (
	"crypto/sha256"
	"sync"

	"chatserver.dev/pkg/id"
)

// maxKnown is the maximum number of tokens that are remembered.
const maxKnown = 10_000

// known remembers the tokens that were valid when they were used last. It is safe for concurrent use.
type known struct {
	mutex  sync.Mutex
	tokens map[tokenOf]bool
}

// tokenOf is the hash of a token, with the organization in which it is valid.
type tokenOf struct {
	org  id.Org
	hash [sha256.Size]byte
}

func newKnown() *known { return &known{tokens: map[tokenOf]bool{}} }

// has reports whether a token was valid in an organization.
func (k *known) has(in id.Org, token string) bool {
	of := tokenOf{in, sha256.Sum256([]byte(token))}
	k.mutex.Lock()
	defer k.mutex.Unlock()
	return k.tokens[of]
}

// set records whether a token is valid in an organization.
func (k *known) set(in id.Org, token string, valid bool) {
	of := tokenOf{in, sha256.Sum256([]byte(token))}
	k.mutex.Lock()
	defer k.mutex.Unlock()
	if !valid {
		delete(k.tokens, of)
		return
	}
	if len(k.tokens) >= maxKnown { // revoked tokens that nobody has used since
		clear(k.tokens)
	}
	k.tokens[of] = true
}
