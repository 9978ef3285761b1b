package queue

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/store"
)

// MaxAppends is the maximum number of queues that one Redis call appends to. Redis does nothing else meanwhile, and
// an append takes one to two microseconds, or six while others use the memory heavily.
const MaxAppends = 250

// payloadLife is how long Redis keeps the payloads of events. Most queues are read within
// seconds; for others, payloads are read from the log.
const payloadLife = 15 * time.Minute

// Pointer is an entry of a queue: a reference to an event, and the data of this queue's copy of it.
type Pointer struct {
	Event   store.Position
	Flags   event.Flags
	LocalID string
}

// ref names an event in Redis keys.
func ref(at store.Position) string {
	return strconv.FormatUint(at.Xid, 10) + "." + strconv.FormatInt(at.ID, 10)
}

func parseRef(text string) (store.Position, error) {
	xid, number, _ := strings.Cut(text, ".")
	at := store.Position{}
	var err error
	if at.Xid, err = strconv.ParseUint(xid, 10, 64); err == nil {
		at.ID, err = strconv.ParseInt(number, 10, 64)
	}
	if err != nil {
		return store.Position{}, fmt.Errorf("%q names no event: %w", text, err)
	}
	return at, nil
}

// copyText returns the part of a pointer after the event: flags and, unless it is empty, the
// local id. It is escaped, since clients choose it freely.
func copyText(flags event.Flags, localID string) string {
	text := strconv.Itoa(int(flags))
	if localID != "" {
		text += " " + url.QueryEscape(localID)
	}
	return text
}

func parsePointer(text string) (Pointer, error) {
	name, rest, _ := strings.Cut(text, " ")
	at, err := parseRef(name)
	if err != nil {
		return Pointer{}, err
	}
	flags, local, _ := strings.Cut(rest, " ")
	bits, flagsErr := strconv.ParseUint(flags, 10, 16)
	localID, localErr := url.QueryUnescape(local)
	if err := errors.Join(flagsErr, localErr); err != nil {
		return Pointer{}, fmt.Errorf("read pointer %q: %w", text, err)
	}
	return Pointer{Event: at, Flags: event.Flags(bits), LocalID: localID}, nil
}

// Append is an event for the queues that get the same copy of it.
type Append struct {
	Event   store.Position
	Payload []byte // nil if an earlier call has stored it
	Flags   event.Flags
	LocalID string
	Queues  []string
}

// Outcome is the result of a dispatch.
type Outcome int

// The outcomes of a dispatch. Only Done changed anything.
const (
	Done Outcome = iota
	// CursorMoved says that another dispatcher has moved the cursor.
	CursorMoved
	// RegistryChanged says that queues were registered or removed since the caller's version.
	RegistryChanged
)

// ErrRefused reports that Redis would refuse the same append each time. Nothing is done.
var ErrRefused = errors.New("Redis refuses what is to be appended")

// isFailure reports whether one of this package's functions failed, rather than Redis as a whole. If memory is full, or on a
// replica, functions fail with other codes.
func isFailure(err error) bool {
	reply := redis.Error(nil)
	if !errors.As(err, &reply) {
		return false
	}
	text := reply.Error()
	return strings.Contains(text, "@user_function") && (strings.HasPrefix(text, "ERR ") || strings.HasPrefix(text, "WRONGTYPE "))
}

// Dispatch atomically appends to queues and moves the shard's cursor, and wakes
// the waiting polls. version is the version of the registry that the caller used. gone are queues that
// have expired, or can't be appended to. It fails with [ErrRefused] if a retry can't succeed.
func (r *Redis) Dispatch(ctx context.Context, shard int, from, to Cursor, version int64, appends []Append) (outcome Outcome, gone []string, err error) {
	args := make([]any, 0, 8+4*len(appends)+MaxAppends)
	args = append(args, from.String(), to.String(), version, payloadLife.Milliseconds())
	for _, a := range appends {
		payload := a.Payload
		if payload == nil {
			payload = []byte{}
		}
		args = append(args, ref(a.Event), payload, copyText(a.Flags, a.LocalID), len(a.Queues))
		for i := range a.Queues {
			args = append(args, &a.Queues[i]) // a pointer, unlike a string, isn't copied to be an argument
		}
	}
	reply, err := r.call(ctx, "dispatch", shard, args...).Slice()
	if err != nil {
		if isFailure(err) {
			err = fmt.Errorf("%w: %w", ErrRefused, err)
		}
		return 0, nil, err
	}
	if len(reply) == 0 {
		return 0, nil, fmt.Errorf("dispatch to queues of shard %d: empty answer", shard)
	}
	switch reply[0] {
	case "ok":
		for _, list := range reply[1:] {
			names, _ := list.([]any)
			for _, name := range names {
				if queue, ok := name.(string); ok {
					gone = append(gone, queue)
				}
			}
		}
		return Done, gone, nil
	case "cursor":
		return CursorMoved, nil, nil
	case "version":
		return RegistryChanged, nil, nil
	case "malformed":
		return 0, nil, fmt.Errorf("dispatch to queues of shard %d: %w", shard, ErrRefused)
	}
	return 0, nil, fmt.Errorf("dispatch to queues of shard %d: unexpected answer %v", shard, reply)
}

// Payloads returns the payloads of events, without those that Redis no longer has.
func (r *Redis) Payloads(ctx context.Context, shard int, events []store.Position) (map[store.Position][]byte, error) {
	keys := make([]string, len(events))
	for i, at := range events {
		keys[i] = prefix(shard) + ":event:" + ref(at)
	}
	values, err := r.client.MGet(ctx, keys...).Result()
	if err != nil {
		return nil, fmt.Errorf("read payloads: %w", answerable(err))
	}
	payloads := make(map[store.Position][]byte, len(events))
	for i, value := range values {
		if text, ok := value.(string); ok {
			payloads[events[i]] = []byte(text)
		}
	}
	return payloads, nil
}
