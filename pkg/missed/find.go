package missed

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/presence"
	"chatserver.dev/pkg/steps"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/user"
)

// Find records the accounts that may miss the new messages in the event log. If it fails for some messages, it tries them once more,
// and then skips them. It returns the first of these errors at its end.
func (s *Service) Find(ctx context.Context) error {
	shards, err := s.DB.UnseenShards(ctx)
	if err != nil {
		return err
	}
	failed := error(nil)
	for _, shard := range shards {
		for more := true; more; {
			more, err = s.DB.NewMessages(ctx, shard, lease, repeatPause, func(found store.MessageBatch) error {
				if err := s.note(ctx, found); err != nil {
					return fmt.Errorf("record missed messages of organization %d: %w", found.Org, err)
				}
				return nil
			})
			failed = cmp.Or(failed, err)
		}
	}
	return failed
}

// note records the accounts that may miss messages, one page of accounts after the other.
func (s *Service) note(ctx context.Context, found store.MessageBatch) error {
	in := found.Org
	wanted := sqlc.ConcernedParams{
		MessageIds: id.Convert[int64](found.Messages), Among: id.Convert[int64](found.Only),
		MentionsAll: int16(message.MentionsAll), Mentioned: int16(event.Mentioned), MaxRows: page,
	}
	mails, pushes := steps.NewPace(fewPeople, people, s.Now), steps.NewPace(1, people, s.Now)
	for {
		rows, err := store.Read(ctx, s.DB, in, func(tx *store.Tx) ([]sqlc.ConcernedRow, error) { return tx.Concerned(ctx, wanted) })
		if err != nil || len(rows) == 0 {
			return err
		}
		wanted.After = int64(rows[len(rows)-1].User.UserID)
		more := len(rows) == page
		if found.Only != nil { // only the mention is new
			for i := range rows {
				rows[i].Heard = nil
			}
			rows = slices.DeleteFunc(rows, func(row sqlc.ConcernedRow) bool { return len(row.Own) == 0 })
		}
		for some := range slices.Chunk(rows, people) {
			if err := s.noteFor(ctx, in, some, mails, pushes); err != nil {
				return err
			}
		}
		if !more {
			return nil
		}
	}
}

// noteFor records messages for the accounts that get notifications: by mail, and in their browsers. Whether those who are there get mail
// is decided later, since they may just have left.
func (s *Service) noteFor(ctx context.Context, in id.Org, rows []sqlc.ConcernedRow, mailPace, pushPace *steps.Pace) error {
	there := s.there(ctx, in, lists.Map(rows, func(row sqlc.ConcernedRow) id.User { return row.User.UserID }))
	mails, pushes := []noted(nil), []noted(nil)
	for _, row := range rows {
		if !row.User.Active || row.User.BotType != nil {
			continue
		}
		settings, err := user.DecodeSettings(row.User.Settings)
		if err != nil { // all others are to be notified
			s.Logger.ErrorContext(ctx, "failed to record missed messages of an account", slog.Int64("user", int64(row.User.UserID)), slog.Any("error", err))
			continue
		}
		if s.Mail {
			own := row.Own
			if !settings.EnableOfflineEmailNotifications {
				own = nil
			}
			if first := firstOf(own, row.Heard); len(first) > 0 {
				mails = append(mails, noted{row.User.UserID, first})
			}
		}
		if s.Push && row.HasDevices && wantsPushes(settings, there[row.User.UserID]) {
			pushes = append(pushes, noted{row.User.UserID, firstOf(row.Own, row.Heard)})
		}
	}
	err := s.add(ctx, in, mails, mailPace, func(tx *store.Tx, users, messages []int64) error {
		return tx.AddMissed(ctx, sqlc.AddMissedParams{
			UserIds: users, MessageIds: messages, WaitSeconds: delay.Seconds(),
			MentionsAll: int16(message.MentionsAll), Mentioned: int16(event.Mentioned), MaxRows: maxWaiting,
		})
	})
	if err != nil {
		return err
	}
	return s.add(ctx, in, pushes, pushPace, func(tx *store.Tx, users, messages []int64) error {
		return tx.AddPushes(ctx, sqlc.AddPushesParams{
			UserIds: users, MessageIds: messages,
			MentionsAll: int16(message.MentionsAll), Mentioned: int16(event.Mentioned), MaxRows: maxWaiting,
		})
	})
}

// there returns those of some accounts whose clients report that they are active. If that can't be read, all count as away: they are
// notified of messages that they don't read in time.
func (s *Service) there(ctx context.Context, in id.Org, users []id.User) map[id.User]bool {
	there, err := s.Presence.Who(ctx, in, users, s.Now().Add(-presence.OfflineAfter))
	if err != nil {
		s.Logger.WarnContext(ctx, "failed to read presence", slog.Any("error", err))
	}
	return there
}

// noted are the messages recorded for an account.
type noted struct {
	of       id.User
	messages []int64
}

// add records messages for as many people as one transaction has time for. use gets pairs of a user and a message.
func (s *Service) add(
	ctx context.Context, in id.Org, all []noted, pace *steps.Pace, use func(tx *store.Tx, users, messages []int64) error,
) error {
	for len(all) > 0 {
		some := all[:min(pace.Rows(), len(all))]
		all = all[len(some):]
		users, messages := []int64(nil), []int64(nil)
		for _, one := range some {
			users, messages = append(users, slices.Repeat([]int64{int64(one.of)}, len(one.messages))...), append(messages, one.messages...)
		}
		err := s.DB.Write(ctx, in, func(tx *store.Tx) error {
			pace.Begin(len(some))
			return use(tx, users, messages)
		})
		if err != nil {
			return err
		}
		pace.End()
	}
	return nil
}

// firstOf returns the newest of an account's own messages and, if there is room left, the newest of those in streams with
// notifications. Both arguments are ascending.
func firstOf(own, heard []int64) []int64 {
	own = newest(own, maxWaiting)
	merely := slices.DeleteFunc(slices.Clone(heard), func(m int64) bool {
		_, isOwn := slices.BinarySearch(own, m)
		return isOwn
	})
	return slices.Concat(own, newest(merely, maxWaiting-len(own)))
}

// newest returns the last messages of an ascending list.
func newest(messages []int64, limit int) []int64 { return messages[max(0, len(messages)-limit):] }
