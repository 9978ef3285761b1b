package subscription

import (
	"context"
	"math"
	"time"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
)

const (
	day           = 24 * time.Hour
	trafficWindow = 28 * day
)

// weeklyTraffic estimates a stream's messages per week from its age and its messages of the last 28 days
// (rest-api.md, section 3.3); nil: the stream is too young.
func weeklyTraffic(messages int64, age time.Duration) *int {
	days := int64(age / day)
	var week int64
	switch {
	case days < 7:
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

// traffic returns the weekly traffic of streams by id.
func (s *Service) traffic(ctx context.Context, tx *store.Tx, streams []sqlc.Stream) (map[id.Stream]*int, error) {
	now := s.now()
	rows, err := tx.RecentMessageCounts(ctx, streamNumbers(streams), now.Add(-trafficWindow))
	counts := make(map[id.Stream]int64, len(rows))
	for _, row := range rows {
		counts[id.Stream(row.StreamID)] = row.Messages
	}
	traffic := make(map[id.Stream]*int, len(streams))
	for _, stream := range streams {
		traffic[stream.StreamID] = weeklyTraffic(counts[stream.StreamID], now.Sub(stream.CreatedAt))
	}
	return traffic, err
}
