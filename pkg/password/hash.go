package password

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"

	"golang.org/x/crypto/argon2"

	"chatserver.dev/pkg/fault"
)

// ErrBusy says that too many people are signing in at the moment.
var ErrBusy = fault.Limit("SERVICE_UNAVAILABLE", "Too many people are signing in at the moment. Try again in a few seconds.")

// maxWait is the maximum time in the queue. Unless all processors are busy, even a full queue takes far less.
const maxWait = 20 * time.Second

// errForm says that a stored hash is malformed.
var errForm = errors.New("not an Argon2id hash in the form of PHC")

// cost is the parameters of a hash.
type cost struct {
	Memory  uint32 // in KiB
	Passes  uint32
	Threads uint8
}

// today returns the cost of new hashes: the first of OWASP's recommendations for Argon2id, about 20 ms of CPU time.
func today() cost { return cost{Memory: 19 << 10, Passes: 2, Threads: 1} }

// Limits on the parameters of a stored hash, so that a corrupt one can't exhaust the memory of a process.
const (
	maxMemory = 256 << 10
	maxPasses = 16
	saltBytes = 16
	keyBytes  = 32
)

// Hasher computes and compares hashes, and estimates the strength of passwords. It is safe for concurrent use.
type Hasher struct {
	admitted chan struct{} // has an element for each caller that computes or waits
	slots    chan computer // idle computers
	maxWait  time.Duration
}

// computer computes hashes, one at a time.
type computer interface {
	compute(ctx context.Context, j job) (key []byte, err error)
	close() error
}

// job is a hash to compute.
type job struct {
	Password, Salt []byte
	Cost           cost
	Length         uint32 // of the hash, in bytes
}

func (j job) key() []byte {
	return argon2.IDKey(j.Password, j.Salt, j.Cost.Passes, j.Cost.Memory, j.Cost.Threads, j.Length)
}

// local computes hashes in this process.
type local struct{}

func (local) compute(_ context.Context, j job) ([]byte, error) { return j.key(), nil }

func (local) close() error { return nil }

// NewHasher returns a hasher that computes atATime hashes at a time and lets waiting callers wait. Both numbers are
// positive.
func NewHasher(atATime, waiting int) *Hasher {
	return newHasher(atATime, waiting, func() computer { return local{} })
}

// NewProcessHasher is [NewHasher] with child processes. They run a command that calls [Serve], and have the lowest
// priority, so that sign-ins and attempts to guess passwords don't slow down other requests. They start with the
// first hash and end with [Hasher.Close].
func NewProcessHasher(atATime, waiting int, command ...string) *Hasher {
	return newHasher(atATime, waiting, func() computer { return &process{command: command, timeout: hashTimeout} })
}

func newHasher(atATime, waiting int, make1 func() computer) *Hasher {
	h := &Hasher{admitted: make(chan struct{}, atATime+waiting), slots: make(chan computer, atATime), maxWait: maxWait}
	for range atATime {
		h.slots <- make1()
	}
	return h
}

// Close ends the child processes. Those that are computing end with this process. The hasher must not be used
// afterwards.
func (h *Hasher) Close() error {
	for errs := []error(nil); ; {
		select {
		case unused := <-h.slots:
			errs = append(errs, unused.close())
		default:
			return errors.Join(errs...)
		}
	}
}

// Hash returns the hash to store for a password. It fails with [ErrBusy].
func (h *Hasher) Hash(ctx context.Context, password string) (string, error) {
	salt := make([]byte, saltBytes)
	if _, err := rand.Read(salt); err != nil {
		return "", fmt.Errorf("make a salt: %w", err)
	}
	c := today()
	key, err := h.compute(ctx, job{[]byte(password), salt, c, keyBytes})
	if err != nil {
		return "", err
	}
	b64 := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, c.Memory, c.Passes, c.Threads, b64.EncodeToString(salt), b64.EncodeToString(key)), nil
}

// Matches reports whether hash is a hash of the password, and whether it is outdated because new hashes have a higher
// cost. It fails with [ErrBusy], and if hash is malformed.
func (h *Hasher) Matches(ctx context.Context, password, hash string) (ok, outdated bool, err error) {
	c, salt, want, err := parse(hash)
	if err != nil {
		return false, false, err
	}
	got, err := h.compute(ctx, job{[]byte(password), salt, c, uint32(len(want))})
	if err != nil {
		return false, false, err
	}
	return subtle.ConstantTimeCompare(got, want) == 1, c != today(), nil
}

// Pretend takes as long as [Hasher.Matches]. Callers use it if an account doesn't exist or has no password, so that
// the response time doesn't reveal which accounts exist. It fails with [ErrBusy].
func (h *Hasher) Pretend(ctx context.Context, password string) error {
	_, err := h.compute(ctx, job{[]byte(password), make([]byte, saltBytes), today(), keyBytes})
	return err
}

func (h *Hasher) compute(ctx context.Context, j job) (key []byte, err error) {
	err = h.inTurn(ctx, func(by computer) (err error) {
		key, err = by.compute(ctx, j)
		return err
	})
	return key, err
}

// inTurn runs work when it is the caller's turn.
func (h *Hasher) inTurn(ctx context.Context, work func(by computer) error) error {
	select {
	case h.admitted <- struct{}{}:
	default:
		return ErrBusy
	}
	defer func() { <-h.admitted }()
	waiting, stop := context.WithTimeout(ctx, h.maxWait)
	defer stop()
	select {
	case by := <-h.slots:
		defer func() { h.slots <- by }()
		return work(by)
	case <-waiting.Done():
		return ErrBusy.Wrap(waiting.Err())
	}
}

// parse parses "$argon2id$v=19$m=19456,t=2,p=1$SALT$KEY".
func parse(hash string) (c cost, salt, key []byte, err error) {
	parts := strings.Split(hash, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return cost{}, nil, nil, errForm
	}
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &c.Memory, &c.Passes, &c.Threads); err != nil {
		return cost{}, nil, nil, errForm
	}
	if c.Memory > maxMemory || c.Passes < 1 || c.Passes > maxPasses || c.Threads < 1 {
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
