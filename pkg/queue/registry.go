package queue

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
)

// Descriptor is the parameters of a registered queue.
type Descriptor struct {
	Org  id.Org     `json:"org"`
	User id.User    `json:"user"`
	Form event.Form `json:"form"`
	// Types are the types of events that enter the queue; nil: all.
	Types []string `json:"types,omitzero"`
	// AllPublic says that messages of all public streams enter the queue.
	AllPublic bool `json:"all_public,omitempty"`
	// Narrow are pairs of operator and operand that messages must match; empty: none.
	Narrow [][2]string `json:"narrow,omitempty"`
	// Lifetime is how long the queue lives after the end of its last request, in seconds.
	Lifetime int `json:"lifetime"`
}

// Accepts reports whether events of a type enter the queue.
func (d *Descriptor) Accepts(eventType string) bool {
	return d.Types == nil || slices.Contains(d.Types, eventType)
}

// Queue is a registered queue.
type Queue struct {
	ID string
	// Number grows with every registration in the shard.
	Number int64
	Descriptor
}

// ErrNoCursor says that the shard's cursor must be set before a queue is registered.
var ErrNoCursor = errors.New("the shard has no cursor")

// Quota limits the queues of an account. If there is no room for another, the one without a request for
// the longest time is removed. A waiting poll counts as a request. The zero value has no limits.
type Quota struct {
	Queues int // maximum number of queues; 0: no limit
	Long   int // maximum number of queues with a lifetime of more than LongLifetime; 0: no limit
}

// LongLifetime is the lifetime, in seconds, above which queues count for Quota.Long, too.
const LongLifetime = 3600

// unbounded is larger than any number of queues.
const unbounded = math.MaxInt32

// Register creates a queue, which receives events from now on, and removes others of its account as the quota requires.
// It fails with [ErrNoCursor] if the shard has no cursor. For a queue that exists, it changes nothing.
func (r *Redis) Register(ctx context.Context, shard int, queue string, d Descriptor, quota Quota) error {
	text, err := json.Marshal(d)
	if err != nil {
		return fmt.Errorf("encode queue: %w", err)
	}
	done, err := r.call(ctx, "register", shard, queue, text, d.Lifetime, int64(d.Org), int64(d.User),
		cmp.Or(quota.Queues, unbounded), cmp.Or(quota.Long, unbounded), LongLifetime).Int()
	if err == nil && done == 0 {
		err = ErrNoCursor
	}
	return err
}

// SetSnapshot completes a registration: it stores the snapshot of the database from which the queue's client got its initial
// state. If the queue has been removed meanwhile, it does nothing.
func (r *Redis) SetSnapshot(ctx context.Context, shard int, queue, snapshot string) error {
	return r.call(ctx, "snapshot", shard, queue, snapshot).Err()
}

// Find returns a queue's descriptor and snapshot; ok is false if there is no such queue. An expired queue may still be found
// for a while. A queue without a snapshot isn't found: Redis has lost it, or the registration failed, and the client would
// receive again what its initial state contains. Nor is one whose descriptor can't be read.
func (r *Redis) Find(ctx context.Context, shard int, queue string) (d Descriptor, snapshot string, ok bool, err error) {
	d, snapshot, ok, err = r.find(ctx, shard, queue)
	if r.repaired(ctx, shard, err) {
		return r.find(ctx, shard, queue)
	}
	return d, snapshot, ok, err
}

func (r *Redis) find(ctx context.Context, shard int, queue string) (d Descriptor, snapshot string, ok bool, err error) {
	pipe := r.client.Pipeline()
	entry := pipe.HGet(ctx, prefix(shard)+":queues", queue)
	at := pipe.HGet(ctx, prefix(shard)+":snapshots", queue)
	if _, err := pipe.Exec(ctx); err != nil && !isNil(err) {
		return Descriptor{}, "", false, fmt.Errorf("find queue: %w", answerable(err))
	}
	if isNil(entry.Err()) || isNil(at.Err()) {
		return Descriptor{}, "", false, nil
	}
	found, ok := parseQueue(queue, entry.Val())
	return found.Descriptor, at.Val(), ok, nil
}

// Unregister removes a queue and answers its waiting poll. It reports whether there was one.
func (r *Redis) Unregister(ctx context.Context, shard int, queue string) (bool, error) {
	there, err := r.call(ctx, "unregister", shard, queue).Int()
	return there == 1, err
}

// Forget removes the remaining data of those of the queues that have expired.
func (r *Redis) Forget(ctx context.Context, shard int, queues []string) error {
	const perCall = 1000 // bounds how long Redis is busy with one call
	for some := range slices.Chunk(queues, perCall) {
		args := make([]any, len(some))
		for i, queue := range some {
			args[i] = queue
		}
		if err := r.call(ctx, "forget", shard, args...).Err(); err != nil {
			return err
		}
	}
	return nil
}

// Registry returns all queues of a shard, and the version of that list. Queues whose descriptors can't be read are removed: their
// clients register again, and the others don't wait.
func (r *Redis) Registry(ctx context.Context, shard int) (queues []Queue, version int64, err error) {
	queues, version, err = r.registry(ctx, shard)
	if r.repaired(ctx, shard, err) {
		return r.registry(ctx, shard)
	}
	return queues, version, err
}

func (r *Redis) registry(ctx context.Context, shard int) (queues []Queue, version int64, err error) {
	// A function takes five times as long for many queues, and Redis does nothing else meanwhile.
	pipe := r.client.TxPipeline()
	at, entries := pipe.Get(ctx, prefix(shard)+":version"), pipe.HGetAll(ctx, prefix(shard)+":queues")
	if _, err := pipe.Exec(ctx); err != nil && !isNil(err) {
		return nil, 0, fmt.Errorf("read registry of shard %d: %w", shard, answerable(err))
	}
	if !isNil(at.Err()) {
		if version, err = at.Int64(); err != nil {
			return nil, 0, errVersion
		}
	}
	queues = make([]Queue, 0, len(entries.Val()))
	for name, entry := range entries.Val() {
		queue, ok := parseQueue(name, entry)
		if !ok {
			if _, err := r.Unregister(ctx, shard, name); err != nil {
				return nil, 0, err
			}
			continue
		}
		queues = append(queues, queue)
	}
	return queues, version, nil
}

// RegistryChange is a queue that was registered or removed.
type RegistryChange struct {
	Queue Queue
	Gone  bool // only the ID is set then
}

// Changes returns the queues of a shard that were registered or removed since a version of the registry, each once, in
// their current state, and the current version. If ok is false, the changes aren't known: read the whole registry. So it is if the
// version or a descriptor can't be read.
func (r *Redis) Changes(ctx context.Context, shard int, since int64) (changes []RegistryChange, version int64, ok bool, err error) {
	parts, err := r.call(ctx, "changes", shard, since).Slice()
	if err != nil {
		return nil, 0, false, err
	}
	if len(parts) == 0 {
		return nil, 0, false, nil
	}
	if version, err = asInt(parts[0]); err != nil {
		return nil, 0, false, fmt.Errorf("read version of registry: %w", err)
	}
	if len(parts) < 2 {
		return nil, 0, false, nil
	}
	list, _ := parts[1].([]any)
	changes = make([]RegistryChange, 0, len(list)/2)
	for pair := range slices.Chunk(list, 2) {
		name, _ := pair[0].(string)
		entry, _ := pair[len(pair)-1].(string)
		if entry == "" {
			changes = append(changes, RegistryChange{Queue: Queue{ID: name}, Gone: true})
			continue
		}
		queue, ok := parseQueue(name, entry)
		if !ok {
			return nil, 0, false, nil
		}
		changes = append(changes, RegistryChange{Queue: queue})
	}
	return changes, version, true, nil
}

// parseQueue parses an entry of the registry; ok is false if it can't be read.
func parseQueue(name, entry string) (queue Queue, ok bool) {
	number, descriptor, _ := strings.Cut(entry, " ")
	queue.ID = name
	var err error
	if queue.Number, err = strconv.ParseInt(number, 10, 64); err == nil {
		err = json.Unmarshal([]byte(descriptor), &queue.Descriptor)
	}
	return queue, err == nil
}

// MaxLength is the maximum number of entries of a queue. A longer one is removed at its next poll, and the client
// gets an error, since it must not lose events silently.
const MaxLength = 100_000

// Lengths returns the numbers of entries of the queues, including the last acknowledged one; 0 for those that
// have expired, or whose keys have another type.
func (r *Redis) Lengths(ctx context.Context, shard int, queues []string) ([]int64, error) {
	lengths := make([]int64, 0, len(queues))
	for some := range slices.Chunk(queues, 1000) {
		pipe := r.client.Pipeline()
		replies := make([]*redis.IntCmd, len(some))
		for i, queue := range some {
			replies[i] = pipe.XLen(ctx, prefix(shard)+":queue:"+queue)
		}
		_, _ = pipe.Exec(ctx) // the replies have its errors
		for _, reply := range replies {
			if err := reply.Err(); err != nil && !redis.HasErrorPrefix(err, "WRONGTYPE") {
				return nil, fmt.Errorf("look for expired queues: %w", err)
			}
			lengths = append(lengths, reply.Val())
		}
	}
	return lengths, nil
}
