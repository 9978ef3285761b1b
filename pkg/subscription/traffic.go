package subscription

import (
	"context"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
)

const (
	day           = 24 * time.Hour
	trafficWindow = 28 * day
	// minTrafficAge is the age from which on a stream has a traffic.
	minTrafficAge = 7 * day
	// maxTrafficAge is how long a number of messages is used: counting those of an organization reads an entry of an
	// index for each message.
	maxTrafficAge = time.Hour
	// maxTraffic is the maximum number of streams whose numbers of messages are cached, about 100 bytes each.
	maxTraffic = 100_000
)

// weeklyTraffic estimates a stream's messages per week from its age and its messages of the last 28 days
// (rest-api.md, section 3.3); nil: the stream is too young.
func weeklyTraffic(messages int64, age time.Duration) *int {
	days := int64(age / day)
	var week int64
	switch {
	case age < minTrafficAge:
		return nil
	case days < 28:
		week = messages * 7 / days
	default:
		week = messages / 4
	}
	if week == 0 && messages > 0 {
		week = 1
	}
	rounded := twoDigits(week)
	return &rounded
}

// twoDigits rounds n to two significant digits, and halves to even.
func twoDigits(n int64) int {
	unit := 1.0
	for float64(n)/unit >= 100 {
		unit *= 10
	}
	return int(math.RoundToEven(float64(n)/unit) * unit)
}

// trafficCache has the numbers of recent messages of streams. It is safe for concurrent use.
type trafficCache struct {
	mutex  sync.Mutex
	counts map[streamKey]recentMessages
}

// recentMessages is the number of messages of the 28 days before a time.
type recentMessages struct {
	count  int64
	before time.Time
}

func newTrafficCache() *trafficCache { return &trafficCache{counts: map[streamKey]recentMessages{}} }

// get returns the numbers of messages that were counted for these streams within the last hour, and the ids of the other
// streams.
func (c *trafficCache) get(streams []sqlc.Stream, now time.Time) (of map[id.Stream]int64, missing []int64) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	of = make(map[id.Stream]int64, len(streams))
	for _, s := range streams {
		if found, ok := c.counts[streamKey{s.OrgID, s.StreamID}]; ok && now.Sub(found.before) < maxTrafficAge {
			of[s.StreamID] = found.count
		} else {
			missing = append(missing, int64(s.StreamID))
		}
	}
	return of, missing
}

// put caches numbers of messages. If there are too many, it drops all that were cached before.
func (c *trafficCache) put(org id.Org, of map[id.Stream]int64, now time.Time) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if len(c.counts)+len(of) > maxTraffic {
		clear(c.counts)
	}
	for stream, count := range of {
		c.counts[streamKey{org, stream}] = recentMessages{count, now}
	}
}

// traffic returns the weekly traffic of streams by id. The messages of a stream are counted at most once an hour.
func (s *Service) traffic(ctx context.Context, tx *store.Tx, streams []sqlc.Stream) (map[id.Stream]*int, error) {
	now := s.now()
	old := slices.DeleteFunc(slices.Clone(streams), func(stream sqlc.Stream) bool { return now.Sub(stream.CreatedAt) < minTrafficAge })
	counts, missing := s.recent.get(old, now)
	if len(missing) > 0 {
		rows, err := tx.RecentMessageCounts(ctx, missing, now.Add(-trafficWindow))
		if err != nil {
			return nil, err
		}
		counted := make(map[id.Stream]int64, len(missing))
		for _, stream := range missing {
			counted[id.Stream(stream)] = 0 // unless a row says otherwise
		}
		for _, row := range rows {
			counted[id.Stream(row.StreamID)] = row.Messages
		}
		s.recent.put(tx.Org(), counted, now)
		maps.Copy(counts, counted)
	}
	traffic := make(map[id.Stream]*int, len(streams))
	for _, stream := range streams {
		traffic[stream.StreamID] = weeklyTraffic(counts[stream.StreamID], now.Sub(stream.CreatedAt))
	}
	return traffic, nil
}
