package secrets

import (
	"crypto/rand"
	"errors"
	"strings"
	"time"
)

// TokensKey is the key of the Secret with the admin tokens: a file with a token on each line. The first
// is the one to call with.
const TokensKey = "tokens"

// spread is how long pods may take to see another content of the file: kubelets look once in a minute,
// and what they remember may be a minute old.
const spread = 3 * time.Minute

// minToken is the length of a token that the server accepts, in characters.
const minToken = 24

// errTokens says what a file of tokens has to be.
var errTokens = errors.New("expected one or two tokens of at least 24 characters, each on a line")

// Tokens are those of the admin interface, with how far the replacement of one has come. At first the
// new one is the second, so that all pods come to know it; then it is the first and the old one still counts,
// for calls with it that are under way; then it is alone.
type Tokens struct {
	Current  string    // to call with
	Other    string    // the next one or the one before; empty: there is none
	Promoted bool      // Other is the one before
	Changed  time.Time // when the file was last written
	Issued   time.Time // when the newest token was made
	Rotation string    // spec.secrets.rotationToken that the newest one was made for
}

// NewTokens makes the first token.
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

// File is what is written.
func (t Tokens) File() []byte {
	if t.Other == "" {
		return []byte(t.Current + "\n")
	}
	return []byte(t.Current + "\n" + t.Other + "\n")
}

// Next returns the tokens as they are to be now, and how long they are to stay so at most; zero: until
// somebody asks for others. after is the age at which a token is replaced; zero: never.
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
	if rotation != t.Rotation || after > 0 && age >= after {
		t.Other, t.Promoted, t.Changed, t.Issued, t.Rotation = rand.Text(), false, now, now, rotation
		return t, spread
	}
	if after > 0 {
		return t, after - age
	}
	return t, 0
}

// Ends is until when the token before counts; zero: there is none.
func (t Tokens) Ends() time.Time {
	switch {
	case t.Other == "":
		return time.Time{}
	case t.Promoted:
		return t.Changed.Add(spread)
	}
	return t.Changed.Add(spread + spread)
}
