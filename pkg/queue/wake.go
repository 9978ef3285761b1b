package queue

import (
	"context"
	"crypto/rand"
	"errors"
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
// The delay of a message is not noticeable.
const pace = 4 * time.Millisecond

// Waker publishes that shards' logs have new events, at once or pace after the previous publication. A server of a Redis
// Cluster that doesn't answer delays only its own shards.
type Waker struct {
	client     redis.UniversalClient
	failpoints *failpoint.Set
	logger     *slog.Logger
	news       chan struct{} // signals that shards have new events; its capacity is 1
	publishing sync.WaitGroup

	mutex sync.Mutex
	lanes map[int]*lane // by shard in a Redis Cluster; otherwise all shards are in lane 0
}

// lane is shards that are published together, one publication after the other.
type lane struct {
	shards     map[int]struct{} // with new events
	publishing bool
}

// NewWaker returns a waker, which publishes while [Waker.Run] runs.
func NewWaker(client redis.UniversalClient, failpoints *failpoint.Set, logger *slog.Logger) *Waker {
	return &Waker{client: client, failpoints: failpoints, logger: logger, lanes: map[int]*lane{}, news: make(chan struct{}, 1)}
}

// Wake notifies the shard's dispatcher. It returns at once.
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

// Run publishes until ctx ends, and then the remaining wake-ups.
func (w *Waker) Run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			w.publish(ctx)
			w.publishing.Wait()
			w.publish(ctx) // lanes that were publishing may have more
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

// publish starts a publication of each lane with new events, except for those that are publishing. These follow afterwards.
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

// send publishes shards. It isn't canceled with ctx, since no other process would publish them.
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
		// The dispatcher polls every second anyway.
		w.logger.WarnContext(ctx, "wake-up of the dispatcher is lost", slog.Any("error", err))
	}
}

func logChannel(shard int) string { return "log:" + prefix(shard) }

// Woken is an entry that was appended to a queue.
type Woken struct {
	Queue  string
	Number int64
}

// Listener receives the messages of the channels. Calls for the same shard are never concurrent.
type Listener interface {
	// LogNews: the shard's log has new events.
	LogNews(shard int)
	// LeaseFree: the holder of the shard's lease released it.
	LeaseFree(shard int)
	// Appended: the same pointer was appended to these queues.
	Appended(ctx context.Context, shard int, pointer Pointer, to []Woken)
	// Moved: the queue's client now polls at this replica.
	Moved(queue, replica string)
	// Removed: the queue was removed.
	Removed(queue string)
	// Reset: the log has, or may have, another history; events that are cached by their positions are invalid.
	Reset()
	// Reconnected: messages about these shards may have been lost; waiting polls must read their queues. Reset is called
	// before, since its message may have been one of them.
	Reconnected(shards []int)
}

const (
	// silence is how long a subscription may not receive what this process publishes to it before it counts as dead: a
	// server that is lost, or was replaced, or has left a cluster, doesn't close its connections, and may even answer.
	// Such publications are three times as frequent.
	silence = 8 * time.Second
	// resubscribe is the pause before the next attempt to subscribe.
	resubscribe = 100 * time.Millisecond
)

// Listen subscribes to all channels of the given number of shards, and calls l until ctx ends. It uses one connection. In a
// Redis Cluster, each shard has a connection to its server, so that a lost server doesn't affect the messages of other
// shards. A connection that breaks, or is deaf for [silence], is replaced. If l is slow, Redis buffers
// messages, and closes the connection if there are too many. So no message is lost without a call of Reconnected.
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

// listenTo is Listen for shards that share a connection.
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
				l.Reset()
				l.Reconnected([]int{shard})
			}
		}
	}
	for complained := false; ctx.Err() == nil; {
		err := r.listen(ctx, shards[0], channels, func(message *redis.Message) {
			if handle := handlers[message.Channel]; handle != nil {
				handle(message.Payload)
			}
		}, func() {
			complained = false
			l.Reset()
			l.Reconnected(shards)
		})
		if ctx.Err() == nil && !complained { // only once until it is subscribed again
			complained = true
			logger.WarnContext(ctx, "subscription to Redis ended, subscribing again", slog.Any("error", err))
		}
		select {
		case <-ctx.Done():
		case <-time.After(resubscribe):
		}
	}
}

// errDeaf means that a subscription doesn't receive what is published.
var errDeaf = errors.New("the server doesn't pass on what is published")

// listen calls message with the messages of one connection until that fails or ctx ends. It calls subscribed when it is
// subscribed to all channels, which are on the server that has a shard.
func (r *Redis) listen(ctx context.Context, shard int, channels []string, message func(*redis.Message), subscribed func()) error {
	ctx, cancel := context.WithCancel(ctx)
	pubsub := r.client.Subscribe(ctx) // to nothing yet
	echoing := sync.WaitGroup{}
	defer echoing.Wait()
	defer cancel()
	defer context.AfterFunc(ctx, func() { _ = pubsub.Close() })() // ends the read
	defer func() { _ = pubsub.Close() }()
	subscribing, done := context.WithTimeout(ctx, r.silence)
	echo := prefix(shard) + ":echo:" + rand.Text() // last, so that its confirmation is the last
	err := pubsub.Subscribe(subscribing, append(slices.Clone(channels), echo)...)
	done()
	if err != nil {
		return fmt.Errorf("subscribe in Redis: %w", err)
	}
	echoing.Go(func() {
		for {
			if server, err := serverOf(ctx, r.client, shard); err == nil {
				_ = server.Publish(ctx, echo, "").Err() // if it fails, nothing is received
			}
			select {
			case <-ctx.Done():
				return
			case <-time.After(r.silence / 3):
			}
		}
	})
	for waited := time.Duration(0); waited < r.silence; { // for the echo, without the time that messages take
		start := time.Now() //nolint:forbidigo // connections have the system's time
		received, err := pubsub.ReceiveTimeout(ctx, r.silence)
		waited += time.Since(start) //nolint:forbidigo // as above
		if err != nil {
			return fmt.Errorf("receive from Redis: %w", err)
		}
		switch received := received.(type) {
		case *redis.Message:
			if received.Channel == echo {
				waited = 0
			} else {
				message(received)
			}
		case *redis.Subscription:
			// One command subscribes to all channels; each of them is confirmed.
			if received.Channel == echo {
				subscribed()
			}
		}
	}
	return errDeaf
}

// deliver passes a message of a wake channel to a listener. It consists of pairs of lines: an event, and its queues, each
// with the id of an entry. Lines may begin and end with a blank.
func deliver(ctx context.Context, shard int, payload string, l Listener) error {
	for payload != "" {
		what, rest, _ := strings.Cut(payload, "\n")
		list, rest, _ := strings.Cut(rest, "\n")
		payload, what, list = rest, strings.TrimSpace(what), strings.TrimSpace(list)
		woken := make([]Woken, 0, strings.Count(list, " ")/2+1)
		for more := true; more; {
			var queue, entry string
			queue, list, _ = strings.Cut(list, " ")
			entry, list, more = strings.Cut(list, " ")
			number, err := strconv.ParseInt(strings.TrimPrefix(entry, "0-"), 10, 64)
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
