package waiting

import (
	"context"
	"sync"
	"time"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/store"
)

// Payloads are the events that queues point to: kept in memory while they are fresh, then in
// Redis, and in the log for as long as it goes back. It is safe for concurrent use.
type Payloads struct {
	redis *queue.Redis
	log   store.Log

	mutex sync.Mutex
	fresh map[store.Position]*event.Recorded
	order []store.Position // ring, oldest at next
	next  int
	bytes int
}

// Memory is bounded by both.
const (
	freshEvents = 8192
	freshBytes  = 64 << 20
)

// NewPayloads makes an empty cache over Redis and the log.
func NewPayloads(redis *queue.Redis, log store.Log) *Payloads {
	return &Payloads{redis: redis, log: log, fresh: map[store.Position]*event.Recorded{}, order: make([]store.Position, freshEvents)}
}

// Put keeps an event that is about to be delivered. made is when its transaction began; zero: not known.
func (p *Payloads) Put(at store.Position, payload []byte, made time.Time) *event.Recorded {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if recorded, ok := p.fresh[at]; ok {
		return recorded
	}
	recorded := event.Decode(payload)
	recorded.Made = made
	p.evict()
	for p.bytes > freshBytes {
		p.next = (p.next + 1) % len(p.order)
		p.evict()
	}
	p.fresh[at] = recorded
	p.order[p.next] = at
	p.next = (p.next + 1) % len(p.order)
	p.bytes += recorded.Size()
	return recorded
}

// Clear forgets all events.
func (p *Payloads) Clear() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	clear(p.fresh)
	clear(p.order)
	p.bytes = 0
}

// evict drops what the next place in the ring holds.
func (p *Payloads) evict() {
	old := p.order[p.next]
	if recorded, ok := p.fresh[old]; ok {
		p.bytes -= recorded.Size()
		delete(p.fresh, old)
		p.order[p.next] = store.Position{}
	}
}

// Fresh returns an event that is in memory; nil: it isn't.
func (p *Payloads) Fresh(at store.Position) *event.Recorded {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.fresh[at]
}

// Get returns the events at the positions. A nil among them is a lost event: neither Redis nor the
// log has it any more, and the queue that points to it can't be delivered truthfully.
func (p *Payloads) Get(ctx context.Context, shard int, at []store.Position) ([]*event.Recorded, error) {
	events := make([]*event.Recorded, len(at))
	missing := []int(nil)
	p.mutex.Lock()
	for i, position := range at {
		if events[i] = p.fresh[position]; events[i] == nil {
			missing = append(missing, i)
		}
	}
	p.mutex.Unlock()
	if len(missing) == 0 {
		return events, nil
	}
	wanted := make([]store.Position, len(missing))
	for j, i := range missing {
		wanted[j] = at[i]
	}
	payloads, err := p.redis.Payloads(ctx, shard, wanted)
	if err != nil {
		return nil, err
	}
	lost := []int(nil)
	for j, i := range missing {
		if payloads[j] == nil {
			lost = append(lost, i)
			continue
		}
		events[i] = p.Put(at[i], payloads[j], time.Time{})
	}
	return events, p.fromLog(ctx, shard, at, events, lost)
}

// fromLog fills in the events that Redis has lost, as far as the log has them.
func (p *Payloads) fromLog(ctx context.Context, shard int, at []store.Position, events []*event.Recorded, lost []int) error {
	if len(lost) == 0 {
		return nil
	}
	wanted := make([]store.Position, len(lost))
	for j, i := range lost {
		wanted[j] = at[i]
	}
	payloads, err := p.log.Payloads(ctx, shard, wanted)
	if err != nil {
		return err
	}
	for _, i := range lost {
		if payload, ok := payloads[at[i]]; ok {
			events[i] = p.Put(at[i], payload, time.Time{})
		}
	}
	return nil
}
