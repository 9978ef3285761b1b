package events

import "context"

// Beat answers the polls that wait with heartbeats, at once.
func (s *Service) Beat(ctx context.Context) int { return s.room.Beat(ctx, 0) }
