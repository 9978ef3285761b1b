package attachment

import (
	"context"
	"errors"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/file"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
)

const (
	// unclaimedKeep is the time after which a file that is in no message is removed.
	unclaimedKeep = 35 * 24 * time.Hour
	// unclaimedAtOnce is the maximum number of these files that one query returns.
	unclaimedAtOnce = 100
	// messagesAtOnce is the maximum number of messages from which one transaction removes a file.
	messagesAtOnce = 500
)

// Remove removes one of the caller's files. If the file is in many messages, it uses several transactions. It fails with
// [ErrInvalid]. The file is deleted from the storage within minutes.
func (s *Service) Remove(ctx context.Context, who actor.Actor, of id.Attachment) error {
	return s.remove(ctx, who.Org(), of, func(_ *store.Tx, row sqlc.Attachment) (bool, error) {
		if row.OwnerID != who.User {
			return false, ErrInvalid
		}
		return true, nil
	})
}

// remove removes a file if may returns true. It fails with [ErrInvalid] if the file doesn't exist.
func (s *Service) remove(ctx context.Context, in id.Org, of id.Attachment, may func(tx *store.Tx, row sqlc.Attachment) (bool, error)) error {
	for more := true; more; {
		err := s.DB.Write(ctx, in, func(tx *store.Tx) error {
			more = false
			if err := tx.LockUploads(ctx); err != nil {
				return err
			}
			row, err := tx.LockAttachment(ctx, of)
			if store.IsNotFound(err) {
				return ErrInvalid
			}
			if err != nil {
				return err
			}
			// From here on, no message can claim the file.
			if may, err := may(tx, row); err != nil || !may {
				return err
			}
			released, err := tx.ReleaseMessages(ctx, of, messagesAtOnce)
			if err != nil {
				return err
			}
			if released == messagesAtOnce {
				more = true
				return nil
			}
			return end(ctx, tx, row)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// end removes a file that is in no message.
func end(ctx context.Context, tx *store.Tx, row sqlc.Attachment) error {
	if err := tx.DeleteAttachment(ctx, row.AttachmentID); err != nil {
		return err
	}
	if err := file.Drop(ctx, tx, row.Path); err != nil {
		return err
	}
	used, err := tx.ChangeUploadSpace(ctx, -row.Size)
	if err != nil {
		return err
	}
	return tx.Emit(ctx, event.AttachmentRemoved{
		Owner: row.OwnerID, Attachment: event.RemovedAttachment{ID: row.AttachmentID}, UploadSpaceUsed: used,
	})
}

// RemoveUnclaimed removes files of all organizations that have been in no message for five weeks.
func (s *Service) RemoveUnclaimed(ctx context.Context) error {
	for {
		due, err := s.DB.UnclaimedAttachments(ctx, unclaimedKeep, unclaimedAtOnce)
		if err != nil {
			return err
		}
		for _, row := range due {
			if err := s.RemoveIfUnclaimed(ctx, row.OrgID, row.AttachmentID); err != nil {
				return err
			}
		}
		if len(due) < unclaimedAtOnce {
			return nil
		}
	}
}

// RemoveIfUnclaimed removes a file unless it is in a message, or was removed before.
func (s *Service) RemoveIfUnclaimed(ctx context.Context, in id.Org, of id.Attachment) error {
	err := s.remove(ctx, in, of, func(tx *store.Tx, _ sqlc.Attachment) (bool, error) {
		claimed, err := tx.SettleClaim(ctx, of)
		return !claimed, err
	})
	if errors.Is(err, ErrInvalid) { // it has been removed meanwhile
		return nil
	}
	return err
}
