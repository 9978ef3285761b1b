package revision

import (
	"context"
	"fmt"
	"time"
)

// deletedKeep is how long deleted messages are kept (rest-api.md, section 2.8).
const deletedKeep = 7 * 24 * time.Hour

// DestroyDeleted destroys the messages of all organizations that were deleted long enough ago.
func (s *Service) DestroyDeleted(ctx context.Context) error {
	if err := s.db.DestroyDeleted(ctx, deletedKeep); err != nil {
		return fmt.Errorf("destroy deleted messages: %w", err)
	}
	return nil
}
