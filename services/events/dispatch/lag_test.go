package dispatch_test

import (
	"context"
	"testing"
	"time"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/storetest"
)

// The lag of a shard is the age of the events that an open transaction holds back. Only the replica that dispatches the
// shard reports it.
func TestLags(t *testing.T) {
	t.Parallel()
	w := open(t)
	d, idle := w.dispatcher("one"), w.dispatcher("two")
	if lags := d.Lags(); len(lags) > 0 {
		t.Errorf("lags before the dispatcher runs: %v", lags)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); _ = d.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	w.awaits(map[string]int{"one": storetest.Shards}, 0, always)
	until := func(what string, condition func(lag time.Duration, known int) bool) {
		t.Helper()
		lags := d.Lags()
		for deadline := time.Now().Add(time.Minute); !condition(lags[shard], len(lags)); lags = d.Lags() {
			if time.Now().After(deadline) {
				t.Fatalf("%s: %v", what, lags)
			}
			time.Sleep(5 * time.Millisecond)
		}
	}
	until("all is dispatched", func(lag time.Duration, known int) bool { return lag == 0 && known == storetest.Shards })
	w.super.Exec("begin")
	w.super.Exec("select pg_current_xact_id()")
	w.emit(note{audience: event.Audience{Everyone: true}})
	d.LogNews(shard)
	until("held back", func(lag time.Duration, _ int) bool { return lag > 300*time.Millisecond })
	if other := d.Lags()[shard-1]; other != 0 {
		t.Errorf("another shard's: %v", other)
	}
	w.super.Exec("commit")
	until("dispatched again", func(lag time.Duration, _ int) bool { return lag == 0 })
	if lags := idle.Lags(); len(lags) > 0 {
		t.Errorf("where nothing is dispatched: %v", lags)
	}
	cancel()
	<-done
	if lags := d.Lags(); len(lags) > 0 {
		t.Errorf("after its end: %v", lags)
	}
}
