package dispatch

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"chatserver.dev/pkg/queue"
)

const (
	// leaseLife is how long a shard stays with a replica that died.
	leaseLife = 3 * time.Second
	// leasePeriod is how often a lease is renewed, or tried for.
	leasePeriod = time.Second
	// leaseTime bounds one call for a lease, and leaseRetry is the pause after one that failed.
	leaseTime, leaseRetry = leaseLife / 2, 200 * time.Millisecond
	// leaseGap is the pause between the end of another replica's lease and the next try.
	leaseGap = 10 * time.Millisecond
	// freeLong is how long a shard may be free before any replica takes it, even one that has its share: the others may
	// be dead.
	freeLong = time.Second
	// memory is the number of periods for which a larger share is remembered: until dead replicas no longer count.
	memory = int(leaseLife/leasePeriod) + 1
)

// LeaseFree makes the dispatcher request the shard's lease soon, since its holder has released it.
func (d *Dispatcher) LeaseFree(shard int) { signal(d.shards[shard].vacant) }

// takePart announces that this replica lives, and works out its share of the shards.
func (d *Dispatcher) takePart(ctx context.Context) {
	shares := slices.Repeat([]int64{d.share.Load()}, memory)
	for n := 0; ; n++ {
		joining, cancel := context.WithTimeout(ctx, leaseTime)
		replicas, wanted, err := d.Redis.Join(joining, d.Replica, d.Now(), leaseLife, d.held.Load() < d.share.Load())
		cancel()
		if err != nil {
			d.complain(ctx, "failed to count replicas", err)
		} else {
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
	free := time.Time{} // when the shard was first seen without a lease; zero: it had one, or this replica tried to take it
	failed := false
	for ctx.Err() == nil {
		// A random pause: the workers of all shards compete for the last place in the share.
		pause := leasePeriod/2 + rand.N(leasePeriod) //nolint:gosec // chance, not secrecy
		var err error
		var left time.Duration // of a lease that another replica has
		if w.reserve(!free.IsZero() && w.Now().Sub(free) >= freeLong) {
			free = time.Time{}
			left, err = w.tryFor(ctx)
		} else if left, err = w.leaseLeft(ctx); left > 0 {
			free = time.Time{}
		} else if err == nil {
			if free.IsZero() {
				free = w.Now()
			}
			pause = min(pause, freeLong)
		}
		switch {
		case err != nil:
			if !failed { // not each time
				w.complain(ctx, "failed to take lease", err)
			}
			pause = leaseRetry + rand.N(leaseRetry) //nolint:gosec // chance, not secrecy
		case left > 0: // a replica that lives renews it long before its end
			pause = min(pause, left+leaseGap)
		}
		failed = err != nil
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
		case <-timer.C:
		case <-w.vacant:
		}
		timer.Stop()
	}
}

// tryFor tries to take the shard's lease, which already counts as held, and dispatches the shard while it has the lease.
// left is how long another replica's lease lasts; 0: there is none.
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

// leaseLeft returns how long the shard's lease lasts if it isn't renewed; 0: nobody has it.
func (w *worker) leaseLeft(ctx context.Context) (time.Duration, error) {
	bounded, cancel := context.WithTimeout(ctx, leaseTime)
	defer cancel()
	return w.Redis.LeaseLeft(bounded, w.shard)
}

// reserve counts one more shard as held, unless this replica has its share, or even then where it is urgent.
func (d *Dispatcher) reserve(urgent bool) bool {
	return d.count(1, func(held int64) bool { return urgent || held < d.share.Load() })
}

// yield counts one shard less as held, if this replica has had more than its share for a while and another wants it.
func (d *Dispatcher) yield() bool {
	return d.count(-1, func(held int64) bool { return held > d.keep.Load() })
}

// count adds to the number of shards that are held, if that is allowed.
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

// hold dispatches the shard for as long as its lease can be renewed. It reports whether it left the shard to another
// replica; then held no longer counts it.
func (w *worker) hold(parent context.Context) (yielded bool) {
	ctx, cancel := context.WithCancel(parent)
	defer cancel()
	w.oldest.Store(0)
	w.leads.Store(true)
	defer w.leads.Store(false)
	unreadable, renewing := false, sync.WaitGroup{}
	renewing.Go(func() {
		defer cancel()
		yielded = w.renew(ctx)
	})
	for ctx.Err() == nil {
		if err := w.dispatch(ctx); err != nil {
			w.complain(ctx, "dispatching is interrupted", err)
			if unreadable = errors.Is(err, queue.ErrUnreadableCursor); unreadable {
				cancel() // another replica may be of the release that wrote it
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

// renew keeps the shard's lease until ctx ends, another replica has it, or it couldn't be renewed for as long as it
// lives. It returns true where it leaves the shard to another replica.
func (w *worker) renew(ctx context.Context) (yielded bool) {
	renewed, pause := w.Now(), leasePeriod
	for sleep(ctx, pause) {
		if w.yield() {
			return true // another replica came: leave it a shard
		}
		asked := w.Now()
		got, err := w.lease(ctx)
		switch {
		case err != nil && w.Now().Sub(renewed) >= leaseLife:
			w.complain(ctx, "failed to renew lease", err)
			return false
		case err != nil: // a Redis that restarts still has it
			pause = leaseRetry
		case !got:
			return false
		default:
			renewed, pause = asked, leasePeriod
		}
	}
	return false
}
