package dispatch

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"chatserver.dev/pkg/outage"
	"chatserver.dev/pkg/queue"
)

const (
	// leaseLife is the lifetime of a lease that isn't renewed, for example because its replica has died.
	leaseLife = 3 * time.Second
	// leasePeriod is how often a replica renews or requests a lease.
	leasePeriod = time.Second
	// leaseTime is the timeout of a call about a lease, and leaseRetry the pause after a failed one.
	leaseTime, leaseRetry = leaseLife / 2, 200 * time.Millisecond
	// leaseGap is the pause between the end of another replica's lease and the next attempt.
	leaseGap = 10 * time.Millisecond
	// freeLong is how long a shard may be free before any replica takes it, even one that has its share: other replicas
	// may be dead.
	freeLong = time.Second
	// memory is the number of periods for which a larger share still counts: dead replicas are counted for as long.
	memory = int(leaseLife/leasePeriod) + 1
)

// LeaseFree makes the dispatcher request the shard's lease soon, since its holder has released it.
func (d *Dispatcher) LeaseFree(shard int) { signal(d.shards[shard].vacant) }

// takePart announces that this replica is alive, and computes its share of the shards.
func (d *Dispatcher) takePart(ctx context.Context) {
	shares := slices.Repeat([]int64{d.share.Load()}, memory)
	log := outage.NewLog(d.Logger, slog.LevelWarn, "failed to count replicas", d.Now)
	for n := 0; ; n++ {
		joining, cancel := context.WithTimeout(ctx, leaseTime)
		replicas, wanted, err := d.Redis.Join(joining, d.Replica, d.Now(), leaseLife, d.held.Load() < d.share.Load())
		cancel()
		log.Note(ctx, err)
		if err == nil {
			share := int64((len(d.shards) + replicas - 1) / max(1, replicas))
			shares[n%memory] = share
			d.share.Store(share)
			d.keep.Store(int64(len(d.shards)))
			if wanted {
				d.keep.Store(slices.Max(shares))
			}
		}
		if !sleep(ctx, leasePeriod) {
			break
		}
	}
	leave, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if err := d.Redis.Leave(leave, d.Replica); err != nil {
		d.complain(leave, "failed to deregister replica", err)
	}
}

// leaseLoop tries to take the shard's lease, and dispatches the shard while it holds it.
func (w *worker) leaseLoop(ctx context.Context) {
	free := time.Time{} // since when the shard has been without a lease; zero: it has one, or this replica has just tried to take it
	failed := false
	for ctx.Err() == nil {
		// The pause is random, since the workers of all shards compete for the last shard of the share.
		pause := leasePeriod/2 + rand.N(leasePeriod) //nolint:gosec // chance, not secrecy
		var err error
		var left time.Duration // of a lease that another replica has
		left, free, err = w.tryOrLook(ctx, free)
		switch {
		case err != nil:
			if !failed { // log only the first of several failures
				w.complain(ctx, "failed to take lease", err)
			}
			pause = leaseRetry + rand.N(leaseRetry) //nolint:gosec // chance, not secrecy
		case left > 0: // a live replica renews its lease long before it ends
			pause = min(pause, left+leaseGap)
		case !free.IsZero():
			pause = min(pause, freeLong)
		}
		failed = err != nil
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		case <-w.vacant:
		}
	}
}

// tryOrLook is [worker.tryFor], or [worker.leaseLeft] if this replica has its share of the shards and the shard hasn't been free for
// long. free is since when it has been; zero: it isn't, or this replica has just tried to take it.
func (w *worker) tryOrLook(ctx context.Context, free time.Time) (left time.Duration, stillFree time.Time, err error) {
	if w.reserve(!free.IsZero() && w.Now().Sub(free) >= freeLong) {
		left, err = w.tryFor(ctx)
		return left, time.Time{}, err
	}
	left, err = w.leaseLeft(ctx)
	switch {
	case left > 0:
		free = time.Time{}
	case err == nil && free.IsZero():
		free = w.Now()
	}
	return left, free, err
}

// tryFor tries to take the shard's lease, and dispatches the shard while it has the lease. The caller has counted the
// shard as held. left is the remaining time of another replica's lease; 0: there is none.
func (w *worker) tryFor(ctx context.Context) (left time.Duration, err error) {
	got, err := w.lease(ctx)
	if got && err == nil && w.hold(ctx) {
		return 0, nil
	}
	w.held.Add(-1)
	if got || err != nil {
		return 0, err
	}
	left, err = w.leaseLeft(ctx)
	return max(left, time.Nanosecond), err // it may have ended since
}

// lease tries to take or to renew the shard's lease.
func (w *worker) lease(ctx context.Context) (got bool, err error) {
	bounded, cancel := context.WithTimeout(ctx, leaseTime)
	defer cancel()
	return w.Redis.Lease(bounded, w.shard, w.Replica, leaseLife)
}

// leaseLeft returns the remaining time of the shard's lease; 0: there is none.
func (w *worker) leaseLeft(ctx context.Context) (time.Duration, error) {
	bounded, cancel := context.WithTimeout(ctx, leaseTime)
	defer cancel()
	return w.Redis.LeaseLeft(bounded, w.shard)
}

// reserve counts one more shard as held, and reports whether it did. A replica that has its share takes more only if it
// is urgent.
func (d *Dispatcher) reserve(urgent bool) bool {
	return d.count(1, func(held int64) bool { return urgent || held < d.share.Load() })
}

// yield counts one shard less as held if this replica has had more than its share for a while and another one requests
// shards. It reports whether it did.
func (d *Dispatcher) yield() bool {
	return d.count(-1, func(held int64) bool { return held > d.keep.Load() })
}

// count adds to the number of held shards if that is allowed, and reports whether it did.
func (d *Dispatcher) count(more int64, allowed func(held int64) bool) bool {
	for {
		held := d.held.Load()
		if !allowed(held) {
			return false
		}
		if d.held.CompareAndSwap(held, held+more) {
			return true
		}
	}
}

// hold dispatches the shard for as long as its lease can be renewed. It reports whether it yielded the shard to another
// replica; in this case held no longer counts the shard.
func (w *worker) hold(parent context.Context) (yielded bool) {
	ctx, cancel := context.WithCancel(parent)
	defer cancel()
	w.oldest.Store(0)
	w.tries = 0 // another replica may have delivered what failed here
	w.leads.Store(true)
	defer w.leads.Store(false)
	unreadable, renewing := false, sync.WaitGroup{}
	renewing.Go(func() {
		defer cancel()
		yielded = w.renew(ctx)
	})
	for ctx.Err() == nil {
		if err := w.dispatch(ctx); err != nil {
			w.log.Note(ctx, err)
			if unreadable = errors.Is(err, queue.ErrUnreadableCursor); unreadable {
				cancel() // a replica of the release that wrote it may be running
			}
			sleep(ctx, 100*time.Millisecond)
		}
	}
	renewing.Wait()
	release, stop := context.WithTimeout(context.WithoutCancel(parent), time.Second)
	defer stop()
	if err := w.Redis.Release(release, w.shard, w.Replica); err != nil {
		w.complain(release, "failed to release lease", err)
	}
	if unreadable {
		w.leads.Store(false)
		sleep(parent, leasePeriod)
		select {
		case <-w.vacant: // by this replica
		default:
		}
	}
	return yielded
}

// renew renews the shard's lease until ctx ends, another replica has the lease, or renewals have failed for its whole
// lifetime. It returns true if it yields the shard to another replica.
func (w *worker) renew(ctx context.Context) (yielded bool) {
	renewed, pause := w.Now(), leasePeriod
	for sleep(ctx, pause) {
		if w.yield() {
			return true // for a replica that has started
		}
		asked := w.Now()
		got, err := w.lease(ctx)
		switch {
		case err != nil && w.Now().Sub(renewed) >= leaseLife:
			w.complain(ctx, "failed to renew lease", err)
			return false
		case err != nil: // a Redis that restarts still has the lease
			pause = leaseRetry
		case !got:
			return false
		default:
			renewed, pause = asked, leasePeriod
		}
	}
	return false
}
