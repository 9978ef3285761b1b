package queue

import (
	"crypto/rand"
	"strconv"
	"strings"
)

// NewID returns a new id, which can't be guessed, of a queue of a shard.
func NewID(shard int) string { return strconv.Itoa(shard) + "." + rand.Text() }

// ShardOf returns the shard of a queue's id; ok is false unless the id is valid with this number of shards.
func ShardOf(queue string, shards int) (shard int, ok bool) {
	number, rest, _ := strings.Cut(queue, ".")
	shard, err := strconv.Atoi(number)
	if err != nil || shard < 0 || shard >= shards || len(rest) != 26 || strings.Trim(rest, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") != "" {
		return 0, false
	}
	return shard, true
}

const (
	// NoEvent is the event id that stands for "nothing acknowledged yet" (events.md, section 2.4).
	NoEvent = -1
	// Step is the difference of the ids of two consecutive entries. The ids in between are for
	// heartbeats: no event can ever have one of them, whatever Redis loses. With this step, the ids of the
	// first two million events of a queue fit into 32 bits.
	Step = 1000
)

// EventID returns the id of the entry with this number, as a queue's client sees it.
func EventID(number int64) int64 { return (number - First) * Step }

// Acknowledged returns the number of the newest entry that a client has processed if id, at least [NoEvent], is that of its
// newest event or heartbeat.
func Acknowledged(id int64) (number int64) { return max(id, 0)/Step + First }

// HeartbeatID returns the id of a heartbeat for a client that has acknowledged an id: the next one, or the same again if
// the next one is an event's.
func HeartbeatID(acknowledged int64) int64 {
	if (acknowledged+1)%Step == 0 && acknowledged != NoEvent {
		return acknowledged
	}
	return acknowledged + 1
}
