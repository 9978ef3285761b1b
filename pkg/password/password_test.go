package password_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"chatserver.dev/pkg/password"
)

func hasher() *password.Hasher { return password.NewHasher(1, 1) }

func TestHash(t *testing.T) {
	t.Parallel()
	h := hasher()
	one, err := h.Hash(t.Context(), "correct horse")
	if err != nil {
		t.Fatal(err)
	}
	two, err := h.Hash(t.Context(), "correct horse")
	if err != nil {
		t.Fatal(err)
	}
	if one == two || !strings.HasPrefix(one, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Errorf("%s and %s", one, two)
	}
	for password, want := range map[string]bool{"correct horse": true, "Correct horse": false, "": false, "correct horse ": false} {
		if ok, outdated, err := h.Matches(t.Context(), password, one); err != nil || ok != want || outdated {
			t.Errorf("%q: %v, %v, %v", password, ok, outdated, err)
		}
	}
}

// foreign is a hash of "password" by the reference implementation: echo -n password | argon2 somesalt -id -t 1 -k 1024 -p 1 -l 32 -e
//
// It needs a fortieth of the time of a new one.
const foreign = "$argon2id$v=19$m=1024,t=1,p=1$c29tZXNhbHQ$yOmu3JVvan3/Ck1ClA32KGI/Mo6hI1AFq6yTPFcJPiM"

// A hash of another implementation is accepted, and reported as outdated.
func TestForeignHash(t *testing.T) {
	t.Parallel()
	if ok, outdated, err := hasher().Matches(t.Context(), "password", foreign); err != nil || !ok || !outdated {
		t.Errorf("%v, %v, %v", ok, outdated, err)
	}
}

func TestDamagedHashes(t *testing.T) {
	t.Parallel()
	h := hasher()
	good, err := h.Hash(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	for _, damaged := range []string{
		"", "x", "$argon2id$", strings.Replace(good, "argon2id", "argon2i", 1), strings.Replace(good, "v=19", "v=16", 1),
		strings.Replace(good, "m=19456", "m=4194304", 1), strings.Replace(good, "t=2", "t=0", 1), strings.Replace(good, "t=2", "t=99", 1),
		strings.Replace(good, "p=1", "p=0", 1), good[:len(good)-1] + "*", good + "$", good[:40],
	} {
		if ok, _, err := h.Matches(t.Context(), "x", damaged); ok || err == nil {
			t.Errorf("%q: %v, %v", damaged, ok, err)
		}
	}
}

// One caller computes, one waits, and a third is refused at once. A waiting caller leaves the queue when its request
// ends.
func TestBusy(t *testing.T) {
	t.Parallel()
	h := hasher()
	ctx, cancel := context.WithCancel(t.Context())
	hold := h.Hold()
	waits := make(chan error)
	go func() { waits <- h.Pretend(ctx, "x") }()
	for h.Admitted() < 2 {
		time.Sleep(time.Millisecond)
	}
	if err := h.Pretend(t.Context(), "x"); !errors.Is(err, password.ErrBusy) {
		t.Errorf("a third caller: %v", err)
	}
	if _, err := h.Strong(t.Context(), "correct horse"); !errors.Is(err, password.ErrBusy) {
		t.Errorf("estimating a password's strength: %v", err)
	}
	cancel()
	if err := <-waits; !errors.Is(err, password.ErrBusy) || !errors.Is(err, context.Canceled) {
		t.Errorf("a caller that went away: %v", err)
	}
	hold()
	if err := h.Pretend(t.Context(), "x"); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// The wait in the queue is limited, however slowly hashes are computed.
func TestLongWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, began := hasher(), time.Now()
		release := h.Hold()
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if err := h.Pretend(ctx, "x"); !errors.Is(err, password.ErrBusy) || time.Since(began) > time.Minute {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		if h.Admitted() != 1 {
			t.Errorf("%d callers are admitted", h.Admitted())
		}
		release()
	})
}

func TestStrong(t *testing.T) {
	t.Parallel()
	for password, want := range map[string]bool{
		"": false, "a": false, "12345": false, "password": false, "qwerty123": false, "hamlet": false, "hamlet2026": false, "aaaaaaaaaaaa": false, "Corp2026": false, "pa55w0rd": false, "H@mlet1": false,
		"correct horse battery": true, "vK9#pq-Lm2": true, "größe zählt doch": true, "日本語のパスワード": true,
	} {
		if got := strong(t, password); got != want {
			t.Errorf("%q: %v", password, got)
		}
	}
}

// Estimating the strength is fast for any text.
func TestStrongIsQuick(t *testing.T) {
	if testing.Short() {
		t.Skip("left out by -short")
	}
	t.Parallel()
	const alphabet = "aA1!qwertzuiop4@0o 19990101"
	for _, text := range []string{strings.Repeat("a", 100), strings.Repeat("4@", 50), strings.Repeat("1999", 25), strings.Repeat("4@8({[<36901!|7$5+2%", 5), strings.Repeat("qwerty", 16), strings.Repeat("é", 50)} {
		quick(t, text)
	}
	for range 50 {
		b := make([]byte, password.MaxBytes)
		for i := range b {
			b[i] = alphabet[rand.IntN(len(alphabet))]
		}
		quick(t, string(b))
	}
}

func quick(t *testing.T, text string) {
	t.Helper()
	start := time.Now()
	strong(t, text)
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("%q took %v", text, took)
	}
}

func strong(t *testing.T, text string) bool {
	t.Helper()
	ok, err := hasher().Strong(t.Context(), text, "hamlet@corp.example", "Hamlet", "Corp")
	if err != nil {
		t.Error(err)
	}
	return ok
}
