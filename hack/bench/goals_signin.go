//go:build linux

package main

import (
	"context"
	"fmt"
	"net/url"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/argon2"

	"chatserver.dev/pkg/password"
)

// signers is the number of people who sign in at a time.
const signers = 8

// measureSigningIn measures L1: logins with a password per second, compared with a loop that only hashes, with the same
// parameters and concurrency.
func (b *bench) measureSigningIn(ctx context.Context) error {
	const secret = "correct horse battery staple"
	atATime := max(1, runtime.GOMAXPROCS(0)/2) // as the services do
	hash, err := password.NewHasher(1, 0).Hash(ctx, secret)
	if err != nil {
		return err
	}
	requests := make([][][]byte, signers)
	for i := range signers {
		account := roomOwner(i)
		if _, err := b.db.Exec(ctx, "insert into passwords (org_id, user_id, hash) values ($1, $2, $3) on conflict do nothing", b.org.id, account, hash); err != nil {
			return err
		}
		form := url.Values{"username": {email(account)}, "password": {secret}}
		requests[i] = [][]byte{encode("POST", "/api/v1/fetch_api_key", "localhost", "", form.Encode())}
	}
	row := b.row("L1", fmt.Sprintf("POST /fetch_api_key, %d people at a time", signers), "1/s", reach{Min: 0.7})
	for range b.turns("L1") {
		if err := settle(ctx, b.servers()); err != nil {
			return err
		}
		floor := hashFor(b.seconds, atATime)
		signed, err := sendFor(ctx, b.api.addr, requests, b.seconds)
		if err != nil {
			return err
		}
		row.addPair(float64(len(signed.latencies))/signed.elapsed.Seconds(), floor)
		row.Note = "p99 of the last run " + number(percentile(signed.latencies, 99)) + " ms"
	}
	return nil
}

// hashFor returns the number of passwords that can be hashed per second, with a concurrency of atATime.
func hashFor(d time.Duration, atATime int) float64 {
	count, loops, start := atomic.Int64{}, sync.WaitGroup{}, time.Now()
	for range atATime {
		loops.Go(func() {
			for time.Since(start) < d {
				argon2.IDKey([]byte("correct horse battery staple"), make([]byte, 16), 2, 19<<10, 1, 32)
				count.Add(1)
			}
		})
	}
	loops.Wait()
	return float64(count.Load()) / time.Since(start).Seconds()
}
