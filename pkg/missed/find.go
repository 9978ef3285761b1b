package missed

import (
	"context"
	"log/slog"
	"slices"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/presence"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/user"
)

// Find notes who may miss the messages that are new in the log.
func (s *Service) Find(ctx context.Context) error {
	shards, err := s.DB.UnseenShards(ctx)
	if err != nil {
		return err
	}
	for _, shard := range shards {
		for more := true; more; {
			more, err = s.DB.NewMessages(ctx, shard, lease, func(of id.Org, messages []id.Message) error {
				err := s.note(ctx, of, messages)
				if err != nil && ctx.Err() == nil { // one organization's failure doesn't hold up the others
					s.Logger.ErrorContext(ctx, "failed to record missed messages", slog.Int64("org", int64(of)), slog.Any("error", err))
					return nil
				}
				return err
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// note notes who may miss messages of an organization, some people at a time.
func (s *Service) note(ctx context.Context, in id.Org, messages []id.Message) error {
	wanted := sqlc.ConcernedParams{
		MessageIds: id.Convert[int64](messages), MentionsAll: int16(message.MentionsAll), Mentioned: int16(event.Mentioned), Most: page,
	}
	for {
		rows := []sqlc.ConcernedRow(nil)
		err := s.DB.Read(ctx, in, func(tx *store.Tx) (err error) {
			rows, err = tx.Concerned(ctx, wanted)
			return err
		})
		if err != nil || len(rows) == 0 {
			return err
		}
		wanted.After = int64(rows[len(rows)-1].User.UserID)
		for some := range slices.Chunk(rows, people) {
			if err := s.noteFor(ctx, in, some); err != nil {
				return err
			}
		}
		if len(rows) < page {
			return nil
		}
	}
}

// noteFor notes messages for those people who want to be notified: by mail if they are away, and in their browsers.
func (s *Service) noteFor(ctx context.Context, in id.Org, rows []sqlc.ConcernedRow) error {
	there, err := s.Presence.Who(ctx, in, lists.Map(rows, func(row sqlc.ConcernedRow) id.User { return row.User.UserID }), s.Now().Add(-presence.There))
	if err != nil { // then everybody counts as away: what they don't read in time is mailed
		s.Logger.WarnContext(ctx, "failed to read presence", slog.Any("error", err))
	}
	mails, pushes := noted{}, noted{}
	for _, row := range rows {
		if !row.User.Active || row.User.BotType != nil {
			continue
		}
		settings, err := user.DecodeSettings(row.User.Settings)
		if err != nil {
			return err
		}
		isThere := there[row.User.UserID]
		if s.Mail && !isThere && (settings.EnableOfflineEmailNotifications || row.Heard) {
			mails.add(row)
		}
		if s.Push && row.HasDevices && wantsPushes(settings, isThere) {
			pushes.add(row)
		}
	}
	if len(mails.users) > 0 {
		err := s.DB.Write(ctx, in, func(tx *store.Tx) error {
			return tx.AddMissed(ctx, sqlc.AddMissedParams{UserIds: mails.users, MessageIds: mails.messages, WaitSeconds: Wait.Seconds(), Most: mostWaiting})
		})
		if err != nil {
			return err
		}
	}
	if len(pushes.users) == 0 {
		return nil
	}
	return s.DB.Write(ctx, in, func(tx *store.Tx) error { return tx.AddPushes(ctx, mostWaiting, pushes.users, pushes.messages) })
}

// noted has pairs of a user and a message that is noted for them.
type noted struct{ users, messages []int64 }

func (n *noted) add(row sqlc.ConcernedRow) {
	for _, m := range row.Messages[max(0, len(row.Messages)-mostWaiting):] {
		n.users, n.messages = append(n.users, int64(row.User.UserID)), append(n.messages, m)
	}
}
