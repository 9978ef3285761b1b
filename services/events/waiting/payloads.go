package waiting

import (
	"context"
	"slices"
	"sync"
	"time"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/store"
)

// Payloads reads the events that queues point to. Recent ones are in memory, others in Redis or, if Redis doesn't have
// them any more, in the log. It is safe for concurrent use.
type Payloads struct {
	redis *queue.Redis
	log   store.Log

	mutex sync.Mutex
	fresh map[store.Position]*event.Recorded
	order []store.Position // ring, oldest at next
	next  int
	bytes int
}

// Limits of the events in memory.
const (
	freshEvents = 8192
	freshBytes  = 64 << 20
)

// NewPayloads returns an empty cache in front of Redis and the log.
func NewPayloads(redis *queue.Redis, log store.Log) *Payloads {
	return &Payloads{redis: redis, log: log, fresh: map[store.Position]*event.Recorded{}, order: make([]store.Position, freshEvents)}
}

// Put stores an event that is about to be delivered, and returns it. made is the beginning of its transaction. org and
// made may be zero: not known.
func (p *Payloads) Put(at store.Position, org id.Org, payload []byte, made time.Time) *event.Recorded {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if recorded, ok := p.fresh[at]; ok {
		return recorded
	}
	recorded := event.Decode(payload)
	recorded.Org, recorded.Made = org, made
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

// evict drops the event at the next place in the ring.
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

// Get returns the events at the positions, which may repeat. A nil event is lost: neither Redis nor the log has it any
// more, and a queue that points to it can't be delivered completely.
func (p *Payloads) Get(ctx context.Context, shard int, at []store.Position) (map[store.Position]*event.Recorded, error) {
	events, missing := make(map[store.Position]*event.Recorded, len(at)), []store.Position(nil)
	p.mutex.Lock()
	for _, position := range at {
		if _, again := events[position]; again {
			continue
		}
		if events[position] = p.fresh[position]; events[position] == nil {
			missing = append(missing, position)
		}
	}
	p.mutex.Unlock()
	for _, fetch := range [...]func(context.Context, int, []store.Position) (map[store.Position]store.Payload, error){p.inRedis, p.log.Payloads} {
		if len(missing) == 0 {
			break
		}
		payloads, err := fetch(ctx, shard, missing)
		if err != nil {
			return nil, err
		}
		missing = slices.DeleteFunc(missing, func(position store.Position) bool {
			payload, found := payloads[position]
			if found {
				events[position] = p.Put(position, payload.Org, payload.JSON, time.Time{})
			}
			return found
		})
	}
	return events, nil
}

// inRedis returns the payloads that Redis still has. It doesn't know whose they are.
func (p *Payloads) inRedis(ctx context.Context, shard int, at []store.Position) (map[store.Position]store.Payload, error) {
	texts, err := p.redis.Payloads(ctx, shard, at)
	payloads := make(map[store.Position]store.Payload, len(texts))
	for position, text := range texts {
		payloads[position] = store.Payload{JSON: text}
	}
	return payloads, err
}

// isOf reports whether a queue of an organization may have an event; nil: it is lost. Whoever writes to Redis can put
// pointers to any event into a queue, but reads only what Redis has itself.
func isOf(org id.Org, recorded *event.Recorded) bool {
	return recorded != nil && (recorded.Org == org || recorded.Org == 0)
}
