package queue

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"chatserver.dev/pkg/failpoint"
)

// pace is the minimum time between two publications. A single event is published immediately; in a
// steady flow, dispatchers handle all events of one interval together, at a fraction of the cost.
// Nobody notices such a delay of a message.
const pace = 4 * time.Millisecond

// Waker publishes that shards' logs have news, at once or pace after the publication before. A server of a Redis Cluster
// that doesn't answer holds up only what concerns its own shards.
type Waker struct {
	client     redis.UniversalClient
	failpoints *failpoint.Set
	logger     *slog.Logger

	mutex      sync.Mutex
	lanes      map[int]*lane // by the shard in a Redis Cluster; elsewhere all shards are in lane 0
	news       chan struct{}
	publishing sync.WaitGroup
}

// lane is the shards whose news are published together, one publication after the other.
type lane struct {
	shards     map[int]struct{} // with news
	publishing bool
}

// NewWaker makes a waker; it works while Run does.
func NewWaker(client redis.UniversalClient, failpoints *failpoint.Set, logger *slog.Logger) *Waker {
	return &Waker{client: client, failpoints: failpoints, logger: logger, lanes: map[int]*lane{}, news: make(chan struct{}, 1)}
}

// Wake lets the shard's dispatcher know; it returns at once.
func (w *Waker) Wake(shard int) {
	w.failpoints.Meet(failpoint.AfterSend)
	number := 0
	if isCluster(w.client) {
		number = shard
	}
	w.mutex.Lock()
	if w.lanes[number] == nil {
		w.lanes[number] = &lane{shards: map[int]struct{}{}}
	}
	w.lanes[number].shards[shard] = struct{}{}
	w.mutex.Unlock()
	w.signal()
}

func (w *Waker) signal() {
	select {
	case w.news <- struct{}{}:
	default:
	}
}

// Run publishes until ctx ends, and then what is left.
func (w *Waker) Run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			w.publish(ctx)
			w.publishing.Wait()
			w.publish(ctx) // what came to a lane that was publishing
			w.publishing.Wait()
			return nil
		case <-w.news:
		}
		w.publish(ctx)
		select {
		case <-ctx.Done():
		case <-time.After(pace):
		}
	}
}

// publish begins to publish what the lanes have, except for those that are publishing: these have their turn after that.
func (w *Waker) publish(ctx context.Context) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	for _, l := range w.lanes {
		if l.publishing || len(l.shards) == 0 {
			continue
		}
		shards := slices.Collect(maps.Keys(l.shards))
		clear(l.shards)
		l.publishing = true
		w.publishing.Go(func() {
			w.send(ctx, shards)
			w.mutex.Lock()
			l.publishing = false
			more := len(l.shards) > 0
			w.mutex.Unlock()
			if more {
				w.signal()
			}
		})
	}
}

// send continues when ctx ends: nobody else would report these shards.
func (w *Waker) send(ctx context.Context, shards []int) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	server, err := serverOf(ctx, w.client, shards[0])
	if err == nil {
		pipe := server.Pipeline()
		for _, shard := range shards {
			pipe.Publish(ctx, logChannel(shard), "")
		}
		_, err = pipe.Exec(ctx)
	}
	if err != nil {
		// The dispatcher looks every second anyway.
		w.logger.WarnContext(ctx, "wake-up of the dispatcher is lost", slog.Any("error", err))
	}
}

func logChannel(shard int) string { return "log:" + prefix(shard) }

// leaseFree is what is published in a shard's log channel when its lease was given up. The release before takes it for news.
const leaseFree = "free"

// Woken is an entry that was appended to a queue.
type Woken struct {
	Queue  string
	Number int64
}

// Listener receives the messages of the channels. What concerns a shard is called one at a time.
type Listener interface {
	// LogNews: the shard's log has new events.
	LogNews(shard int)
	// LeaseFree: the holder of the shard's lease gave it up.
	LeaseFree(shard int)
	// Appended: the same pointer was appended to these queues.
	Appended(ctx context.Context, shard int, pointer Pointer, to []Woken)
	// Moved: the queue's client polls at that replica now.
	Moved(queue, replica string)
	// Removed: the queue was removed.
	Removed(queue string)
	// Reset: the log has another history; events that are remembered by their positions are void.
	Reset()
	// Reconnected: messages about these shards may have been lost; whatever waits should look for itself.
	Reconnected(shards []int)
}

const (
	// silence is how long a subscription may say nothing until it counts as dead: a server that is lost, or that
	// was replaced by another and froze, closes no connection. It is pinged three times as often.
	silence = 8 * time.Second
	// resubscribe is the pause before the next try.
	resubscribe = 100 * time.Millisecond
)

// Listen subscribes to all channels of that many shards, and reports to l until ctx ends. One connection is for all of them;
// in a Redis Cluster each shard has its own, to the server that has it, so that a server that is gone takes no other shard's
// messages with it. A connection that breaks, or says nothing for [silence], is replaced. If l is slow, Redis buffers
// messages, and closes the connection if there are too many; so nothing is lost without a call of Reconnected.
func (r *Redis) Listen(ctx context.Context, shards int, l Listener, logger *slog.Logger) error {
	all := make([]int, shards)
	for shard := range all {
		all[shard] = shard
	}
	together := shards
	if isCluster(r.client) {
		together = 1
	}
	listening := sync.WaitGroup{}
	for some := range slices.Chunk(all, together) {
		listening.Go(func() { r.listenTo(ctx, some, l, logger) })
	}
	listening.Wait()
	return nil
}

// listenTo is Listen for shards that have a connection together.
func (r *Redis) listenTo(ctx context.Context, shards []int, l Listener, logger *slog.Logger) {
	handlers, channels := map[string]func(payload string){}, []string(nil)
	for _, shard := range shards {
		wake := prefix(shard) + ":wake"
		channels = append(channels, logChannel(shard), wake)
		handlers[logChannel(shard)] = func(payload string) {
			if payload == leaseFree {
				l.LeaseFree(shard)
			} else {
				l.LogNews(shard)
			}
		}
		handlers[wake] = func(payload string) {
			if err := deliver(ctx, shard, payload, l); err != nil {
				logger.ErrorContext(ctx, "failed to parse a wake-up", slog.Int("shard", shard), slog.Any("error", err))
				l.Reconnected([]int{shard})
			}
		}
	}
	for complained := false; ctx.Err() == nil; {
		err := r.listen(ctx, channels, func(message *redis.Message) {
			if handle := handlers[message.Channel]; handle != nil {
				handle(message.Payload)
			}
		}, func() {
			complained = false
			l.Reconnected(shards)
		})
		if ctx.Err() == nil && !complained { // not each time
			complained = true
			logger.WarnContext(ctx, "subscription to Redis ended, subscribing again", slog.Any("error", err))
		}
		select {
		case <-ctx.Done():
		case <-time.After(resubscribe):
		}
	}
}

// listen reports what one connection says until it fails or ctx ends; subscribed is called when it is subscribed to all channels.
func (r *Redis) listen(ctx context.Context, channels []string, message func(*redis.Message), subscribed func()) error {
	ctx, cancel := context.WithCancel(ctx)
	pubsub := r.client.Subscribe(ctx) // to nothing yet
	pinging := sync.WaitGroup{}
	defer pinging.Wait()
	defer cancel()
	defer context.AfterFunc(ctx, func() { _ = pubsub.Close() })() // ends the reading
	defer func() { _ = pubsub.Close() }()
	subscribing, done := context.WithTimeout(ctx, r.silence)
	err := pubsub.Subscribe(subscribing, channels...)
	done()
	if err != nil {
		return fmt.Errorf("subscribe in Redis: %w", err)
	}
	pinging.Go(func() {
		ticker := time.NewTicker(r.silence / 3)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
			_ = pubsub.Ping(ctx) // no answer comes where that fails
		}
	})
	for {
		received, err := pubsub.ReceiveTimeout(ctx, r.silence)
		if err != nil {
			return fmt.Errorf("receive from Redis: %w", err)
		}
		switch received := received.(type) {
		case *redis.Message:
			message(received)
		case *redis.Subscription:
			// One command subscribes to all channels; each of them is confirmed.
			if received.Channel == channels[len(channels)-1] {
				subscribed()
			}
		}
	}
}

// deliver passes a message of a wake channel to a listener: pairs of lines, what happened and to which queues.
func deliver(ctx context.Context, shard int, payload string, l Listener) error {
	for payload != "" {
		what, rest, _ := strings.Cut(payload, "\n")
		list, rest, _ := strings.Cut(rest, "\n")
		payload = rest
		woken := make([]Woken, 0, strings.Count(list, ",")+1)
		for item := range strings.SplitSeq(list, ",") {
			queue, text, _ := strings.Cut(item, " ")
			number, err := strconv.ParseInt(text, 10, 64)
			if err != nil {
				return fmt.Errorf("read wake-up: %w", err)
			}
			woken = append(woken, Woken{queue, number})
		}
		switch replica, moved := strings.CutPrefix(what, "moved "); {
		case what == "reset":
			l.Reset()
		case what == "gone":
			for _, w := range woken {
				l.Removed(w.Queue)
			}
		case moved:
			for _, w := range woken {
				l.Moved(w.Queue, replica)
			}
		default:
			pointer, err := parsePointer(what)
			if err != nil {
				return err
			}
			l.Appended(ctx, shard, pointer, woken)
		}
	}
	return nil
}
