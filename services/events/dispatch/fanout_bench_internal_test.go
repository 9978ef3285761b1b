package dispatch

import (
	"testing"

	"github.com/RoaringBitmap/roaring/v2/roaring64"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/store"
)

// BenchmarkFanout measures what it costs to find the queues of a stream's message, for each of 5,000 subscribers, and to
// group them for calls of Redis.
func BenchmarkFanout(b *testing.B) {
	const people, stream = 5000, id.Stream(7)
	r := &roster{accounts: map[id.User]event.Account{}, subscribers: map[id.Stream]*roaring64.Bitmap{}, queues: newQueueIndex()}
	for user := id.User(1); user <= people; user++ {
		r.accounts[user] = event.Account{Role: actor.Member, Active: true}
		r.subscribe(event.Membership{Stream: stream, User: user})
		r.queues.add(&queue.Queue{ID: queue.NewID(3), Number: 1000 + int64(user), Descriptor: queue.Descriptor{User: user}})
	}
	entry := store.LogEntry{Type: "message", Audience: event.Audience{Subscribers: stream, Public: true, FlagsOf: event.FlagsOf{1: event.Read}}}
	b.ReportAllocs()
	for b.Loop() {
		to, err := r.fanout(entry)
		if err != nil || len(to) != people {
			b.Fatal(len(to), err)
		}
		for from := 0; from < len(to); from += queue.MaxAppends {
			appends(store.Position{}, nil, to[from:from+queue.MaxAppends])
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/people, "ns/queue")
}
