package queue

import (
	"crypto/rand"
	"math"
	"strconv"
	"strings"
)

// The separator in a queue's id determines how its events are numbered. The previous release used a colon, and numbers without
// gaps. It doesn't accept ids with a point, so its replicas answer that there is no
// such queue instead of misinterpreting the client's acknowledgement.
const separator, formerSeparator = ".", ":"

// NewID returns a new id, which can't be guessed, of a queue of a shard.
func NewID(shard int) string { return strconv.Itoa(shard) + separator + rand.Text() }

// ShardOf returns the shard of a queue's id; ok is false unless the id is valid with this number of shards.
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
	// Step is the difference of the ids of two consecutive entries. The ids in between are for
	// heartbeats: no event can ever have one of them, whatever Redis loses. With this step, the ids of the
	// first two million events of a queue fit into 32 bits.
	Step = 1000
)

// formerOffset is the difference between an entry's number and the event's id in queues of the previous release.
const formerOffset = First - NoEvent

// EventID returns the id of the entry with this number, as a queue's client sees it.
func EventID(queue string, number int64) int64 {
	if isFormer(queue) {
		return number - formerOffset
	}
	return (number - First) * Step
}

// Acknowledged returns the number of the newest entry that a client has processed if id, at least [NoEvent], is that of its
// newest event or heartbeat.
func Acknowledged(queue string, id int64) (number int64) {
	if isFormer(queue) {
		return min(id, math.MaxInt64-formerOffset) + formerOffset
	}
	return max(id, 0)/Step + First
}

// HeartbeatID returns the id of a heartbeat for a client that has acknowledged an id: the next one, or the same again if
// the next one is an event's. ok is false for queues of the previous release, which have no ids for heartbeats.
func HeartbeatID(queue string, acknowledged int64) (id int64, ok bool) {
	if isFormer(queue) {
		return 0, false
	}
	if (acknowledged+1)%Step == 0 && acknowledged != NoEvent {
		return acknowledged, true
	}
	return acknowledged + 1, true
}
