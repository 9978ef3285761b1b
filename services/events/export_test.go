package events

import "context"

// Beat answers all waiting polls with heartbeats, at once.
func (s *Service) Beat(ctx context.Context) int { return s.room.Beat(ctx, 0) }
