package queue

import (
	"crypto/rand"
	"math"
	"strconv"
	"strings"
)

// The id of a queue says how its events are counted. The release before had a colon where there is a point
// now, counted without gaps, and takes no id with a point for a queue's: its replicas answer that there is no
// such queue, rather than misread what its client acknowledges.
const separator, formerSeparator = ".", ":"

// NewID returns an id for a queue of a shard. Nobody can guess it.
func NewID(shard int) string { return strconv.Itoa(shard) + separator + rand.Text() }

// ShardOf returns the shard that a queue's id belongs to; ok is false where no shard of that many has it.
func ShardOf(queue string, shards int) (shard int, ok bool) {
	at := strings.IndexAny(queue, separator+formerSeparator)
	if at < 0 {
		return 0, false
	}
	shard, err := strconv.Atoi(queue[:at])
	rest := queue[at+1:]
	if err != nil || shard < 0 || shard >= shards || len(rest) != 26 || strings.Trim(rest, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") != "" {
		return 0, false
	}
	return shard, true
}

func isFormer(queue string) bool { return strings.Contains(queue, formerSeparator) }

const (
	// NoEvent is the event id that stands for "nothing acknowledged yet" (events.md, section 2.4).
	NoEvent = -1
	// Step is how far the ids of two entries that follow each other are apart. The ids in between are for
	// heartbeats: no event can ever have one of them, whatever Redis loses. With this step the ids of the
	// first two million events of a queue fit into 32 bits.
	Step = 1000
)

// formerOffset is what the number of an entry has over the event's id in queues of the release before.
const formerOffset = First - NoEvent

// EventID returns the id under which a queue's client gets the entry of that number.
func EventID(queue string, number int64) int64 {
	if isFormer(queue) {
		return number - formerOffset
	}
	return (number - First) * Step
}

// Acknowledged returns the number of the newest entry that a client has processed whose newest event or heartbeat
// had that id. The id is [NoEvent] or more.
func Acknowledged(queue string, id int64) (number int64) {
	if isFormer(queue) {
		return min(id, math.MaxInt64-formerOffset) + formerOffset
	}
	return max(id, 0)/Step + First
}

// HeartbeatID returns the id of a heartbeat for a client that has acknowledged an id: the next one, as long as it is
// no event's, and else the same again. ok is false for queues of the release before, which have no ids for heartbeats.
func HeartbeatID(queue string, acknowledged int64) (id int64, ok bool) {
	if isFormer(queue) {
		return 0, false
	}
	if (acknowledged+1)%Step == 0 && acknowledged != NoEvent {
		return acknowledged, true
	}
	return acknowledged + 1, true
}
