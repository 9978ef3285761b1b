package presence

import (
	"context"
	"maps"
	"slices"
	"time"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/user"
)

// Returned returns the events with the stored reports of an account that becomes active again, one for each client: the
// state of clients that came meanwhile lacks them. It is called before the transaction's first write.
func (s *Store) Returned(ctx context.Context, o org.Org, u user.User, now time.Time) ([]event.Event, error) {
	if u.IsBot() {
		return nil, nil
	}
	reports, err := s.Of(ctx, o.ID, u.ID, now)
	if err != nil {
		return nil, err
	}
	events := []event.Event(nil)
	for _, client := range slices.Sorted(maps.Keys(reports)) {
		r := reports[client]
		events = append(events, event.Presence{
			UserID: u.ID, Email: user.DisplayEmail(o, u), ServerTimestamp: Seconds(now),
			Presence: map[string]event.ClientPresence{client: {Client: client, Status: string(r.Status), Timestamp: r.At}},
		})
	}
	return events, nil
}
