package presence

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"chatserver.dev/pkg/id"
)

// OfflineAfter is the maximum age of an active report for which a person counts as present (rest-api.md, section 4.9).
const OfflineAfter = 140 * time.Second

// Who returns those of some accounts who were there at a time or since: a client of theirs reported that they are active.
func (s *Store) Who(ctx context.Context, org id.Org, users []id.User, since time.Time) (map[id.User]bool, error) {
	if len(users) == 0 {
		return nil, nil
	}
	names := make([]string, len(users))
	for i, user := range users {
		names[i] = strconv.FormatInt(int64(user), 10)
	}
	stored, err := s.client.HMGet(ctx, reportsKey(org), names...).Result()
	if err != nil {
		return nil, fmt.Errorf("read presence: %w", err)
	}
	all, there := map[id.User]Reports{}, map[id.User]bool{}
	for i, value := range stored {
		if text, ok := value.(string); ok {
			add(all, names[i], text, since)
		}
	}
	for user, reports := range all {
		for _, report := range reports {
			if report.Status == Active && report.At >= since.Unix() {
				there[user] = true
			}
		}
	}
	return there, nil
}
