package password

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/crypto/argon2"

	"chatserver.dev/pkg/fault"
)

// ErrBusy says that too many people sign in at the moment.
var ErrBusy = fault.New(fault.Unavailable, "SERVICE_UNAVAILABLE", "Too many people are signing in at the moment. Try again in a few seconds.")

// errForm says that a stored hash isn't one.
var errForm = errors.New("not an Argon2id hash in the form of PHC")

// cost is how a hash is computed.
type cost struct {
	memory  uint32 // in KiB
	passes  uint32
	threads uint8
}

// today is the cost of new hashes: the first of OWASP's recommendations for Argon2id, about 20 ms of a processor.
func today() cost { return cost{memory: 19 << 10, passes: 2, threads: 1} }

// Bounds of what a stored hash may ask for, so that a damaged one doesn't take a process's memory.
const (
	mostMemory = 256 << 10
	mostPasses = 16
	saltBytes  = 16
	keyBytes   = 32
)

// Hasher computes and compares hashes, and judges passwords. It is safe for concurrent use.
type Hasher struct {
	line  chan struct{} // callers that compute or wait
	slots chan struct{} // callers that compute
}

// NewHasher returns a hasher that computes so many hashes at a time, for which so many callers may wait. Both numbers are positive.
func NewHasher(atATime, waiting int) *Hasher {
	return &Hasher{line: make(chan struct{}, atATime+waiting), slots: make(chan struct{}, atATime)}
}

// Hash returns what is to be stored of a password. It fails with [ErrBusy].
func (h *Hasher) Hash(ctx context.Context, password string) (string, error) {
	salt := make([]byte, saltBytes)
	if _, err := rand.Read(salt); err != nil {
		return "", fmt.Errorf("make a salt: %w", err)
	}
	c := today()
	key, err := h.compute(ctx, password, salt, keyBytes, c)
	if err != nil {
		return "", err
	}
	b64 := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, c.memory, c.passes, c.threads, b64.EncodeToString(salt), b64.EncodeToString(key)), nil
}

// Matches reports whether hash was computed of the password, and whether it should be computed again since
// hashes cost more today. It fails with [ErrBusy], and where hash is none.
func (h *Hasher) Matches(ctx context.Context, password, hash string) (ok, outdated bool, err error) {
	c, salt, want, err := parse(hash)
	if err != nil {
		return false, false, err
	}
	got, err := h.compute(ctx, password, salt, uint32(len(want)), c)
	if err != nil {
		return false, false, err
	}
	return subtle.ConstantTimeCompare(got, want) == 1, c != today(), nil
}

// Pretend takes as long as [Hasher.Matches] does, for an account that doesn't exist or has no password: how long an
// answer takes doesn't reveal which accounts there are. It fails with [ErrBusy].
func (h *Hasher) Pretend(ctx context.Context, password string) error {
	_, err := h.compute(ctx, password, make([]byte, saltBytes), keyBytes, today())
	return err
}

func (h *Hasher) compute(ctx context.Context, password string, salt []byte, length uint32, c cost) (key []byte, err error) {
	err = h.inTurn(ctx, func() { key = argon2.IDKey([]byte(password), salt, c.passes, c.memory, c.threads, length) })
	return key, err
}

// inTurn does some work when it is the caller's turn.
func (h *Hasher) inTurn(ctx context.Context, work func()) error {
	select {
	case h.line <- struct{}{}:
	default:
		return ErrBusy
	}
	defer func() { <-h.line }()
	select {
	case h.slots <- struct{}{}:
	case <-ctx.Done():
		return ErrBusy.Wrap(ctx.Err())
	}
	defer func() { <-h.slots }()
	work()
	return nil
}

// parse reads "$argon2id$v=19$m=19456,t=2,p=1$SALT$KEY".
func parse(hash string) (c cost, salt, key []byte, err error) {
	parts := strings.Split(hash, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return cost{}, nil, nil, errForm
	}
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &c.memory, &c.passes, &c.threads); err != nil {
		return cost{}, nil, nil, errForm
	}
	if c.memory > mostMemory || c.passes < 1 || c.passes > mostPasses || c.threads < 1 {
		return cost{}, nil, nil, fmt.Errorf("%w: its cost is out of bounds", errForm)
	}
	b64 := base64.RawStdEncoding.Strict()
	salt, saltErr := b64.DecodeString(parts[4])
	key, keyErr := b64.DecodeString(parts[5])
	if saltErr != nil || keyErr != nil || len(salt) < 8 || len(salt) > 64 || len(key) < 16 || len(key) > 64 {
		return cost{}, nil, nil, errForm
	}
	return c, salt, key, nil
}
