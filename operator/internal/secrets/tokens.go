package secrets

import (
	"cmp"
	"crypto/rand"
	"errors"
	"strings"
	"time"
)

// TokensKey is the key of the Secret with the admin tokens: a file with a token on each line. Callers use the first one.
const TokensKey = "tokens"

// spread is how long it takes until all pods see a change of the file: kubelets sync once a minute, and their cache may be
// a minute old.
const spread = 3 * time.Minute

// minToken is the length of a token that the server accepts, in characters.
const minToken = 24

// errTokens describes a valid file of tokens.
var errTokens = errors.New("expected one or two tokens of at least 24 characters, each on a line")

// Rotates reports whether a rotation token in a spec requests a rotation: it differs from the one of the last rotation. An empty one
// requests nothing, so that a token may be removed again.
func Rotates(wanted, last string) bool { return wanted != "" && wanted != last }

// Tokens are the tokens of the admin interface, with the state of a rotation. A rotation has three steps: the new token
// is added as the second one until all pods have read it; then it becomes the first one, and the old one stays valid
// for calls in flight; then the old one is removed.
type Tokens struct {
	Current  string    // that callers use
	Other    string    // the next or the previous one; empty: there is none
	Promoted bool      // Other is the previous one
	Changed  time.Time // when the file was last written
	Issued   time.Time // when the newest token was issued
	Rotation string    // spec.secrets.rotationToken that the newest one was issued for
}

// NewTokens generates the first token.
func NewTokens(rotation string, now time.Time) Tokens {
	return Tokens{Current: rand.Text(), Issued: now, Changed: now, Rotation: rotation}
}

// Parse reads a file of tokens.
func (t Tokens) Parse(file []byte) (Tokens, error) {
	lines := strings.Fields(string(file))
	if len(lines) < 1 || len(lines) > 2 {
		return t, errTokens
	}
	for _, line := range lines {
		if len(line) < minToken {
			return t, errTokens
		}
	}
	t.Current, t.Other = lines[0], ""
	if len(lines) > 1 {
		t.Other = lines[1]
	}
	return t, nil
}

// File returns the content of the file.
func (t Tokens) File() []byte {
	if t.Other == "" {
		return []byte(t.Current + "\n")
	}
	return []byte(t.Current + "\n" + t.Other + "\n")
}

// Next returns the desired tokens, and the longest time until it must be called again; zero: not before rotation
// changes. after is the age at which a token is replaced; zero: never.
func (t Tokens) Next(rotation string, after time.Duration, now time.Time) (Tokens, time.Duration) {
	if t.Other != "" {
		if wait := t.Changed.Add(spread).Sub(now); wait > 0 {
			return t, wait
		}
		if !t.Promoted {
			t.Current, t.Other, t.Promoted, t.Changed = t.Other, t.Current, true, now
			return t, spread
		}
		t.Other, t.Promoted, t.Changed = "", false, now
	}
	age := now.Sub(t.Issued)
	if Rotates(rotation, t.Rotation) || after > 0 && age >= after {
		t.Other, t.Promoted, t.Changed, t.Issued, t.Rotation = rand.Text(), false, now, now, cmp.Or(rotation, t.Rotation)
		return t, spread
	}
	if after > 0 {
		return t, after - age
	}
	return t, 0
}

// Ends returns when the previous token expires; zero: there is none.
func (t Tokens) Ends() time.Time {
	switch {
	case t.Other == "":
		return time.Time{}
	case t.Promoted:
		return t.Changed.Add(spread)
	}
	return t.Changed.Add(spread + spread)
}
