package transfer

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"chatserver.dev/pkg/archive"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
)

// private writes the personal data of people and bots, except for accounts that are newer than the ones in the archive. Like
// keys, tokens of outgoing webhook bots are left out: imported bots get new ones.
func (r *realmExport) private(ctx context.Context) error {
	if r.PublicOnly {
		return nil
	}
	for _, write := range []func(ctx context.Context) error{r.mutedTopics, r.alertWords, r.statuses, r.services, r.configs, r.storage, r.scheduled} {
		if err := write(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (r *realmExport) mutedTopics(ctx context.Context) error {
	return writeTable(ctx, r, archive.MutedTopics, "muted topics", func(tx *store.Tx, last sqlc.ArchivedMutedTopicsRow) ([]sqlc.ArchivedMutedTopicsRow, error) {
		return tx.ArchivedMutedTopics(ctx, sqlc.ArchivedMutedTopicsParams{
			AfterUser: int64(last.UserID), AfterStream: int64(last.StreamID), AfterTopic: last.TopicKey, MaxRows: maxRows,
		})
	}, func(number int64, t sqlc.ArchivedMutedTopicsRow) any {
		if !r.people[t.UserID] || !r.streams[t.StreamID] {
			return nil
		}
		return archive.MutedTopic{
			ID: number, User: int64(t.UserID), Stream: int64(t.StreamID), Recipient: int64(t.StreamID), Topic: t.Topic, Muted: archive.Time{Time: t.MutedAt},
		}
	})
}

func (r *realmExport) alertWords(ctx context.Context) error {
	return writeTable(ctx, r, archive.AlertWords, "alert words", func(tx *store.Tx, last sqlc.ArchivedAlertWordsRow) ([]sqlc.ArchivedAlertWordsRow, error) {
		return tx.ArchivedAlertWords(ctx, int64(last.UserID), last.WordKey, maxRows)
	}, func(number int64, w sqlc.ArchivedAlertWordsRow) any {
		if !r.people[w.UserID] {
			return nil
		}
		return archive.AlertWord{ID: number, Realm: int64(r.of), User: int64(w.UserID), Word: w.Word}
	})
}

func (r *realmExport) statuses(ctx context.Context) error {
	return writeTable(ctx, r, archive.Statuses, "statuses", func(tx *store.Tx, last sqlc.ArchivedStatusesRow) ([]sqlc.ArchivedStatusesRow, error) {
		return tx.ArchivedStatuses(ctx, last.UserID, maxRows)
	}, func(number int64, s sqlc.ArchivedStatusesRow) any {
		if !r.people[s.UserID] {
			return nil
		}
		row := archive.Status{ID: number, User: int64(s.UserID), Client: 1, Timestamp: archive.Time{Time: r.Now()}, Text: s.Text}
		if s.Away {
			row.Away = 1
		}
		return row
	})
}

func (r *realmExport) services(ctx context.Context) error {
	return writeTable(ctx, r, archive.Services, "outgoing webhooks", func(tx *store.Tx, last sqlc.ArchivedBotServicesRow) ([]sqlc.ArchivedBotServicesRow, error) {
		return tx.ArchivedBotServices(ctx, last.UserID, maxRows)
	}, func(number int64, s sqlc.ArchivedBotServicesRow) any {
		if !r.people[s.UserID] {
			return nil
		}
		return archive.Service{ID: number, Name: "bot", User: int64(s.UserID), URL: s.URL, Interface: int(s.Interface)}
	})
}

func (r *realmExport) configs(ctx context.Context) error {
	r.Begin(archive.BotConfigs)
	number := int64(0)
	return portions(ctx, r.export, func(tx *store.Tx, last sqlc.ArchivedBotConfigsRow) ([]sqlc.ArchivedBotConfigsRow, error) {
		return tx.ArchivedBotConfigs(ctx, last.UserID, maxRows)
	}, func(c sqlc.ArchivedBotConfigsRow) error {
		if !r.people[c.UserID] {
			return nil
		}
		values := map[string]string{}
		if err := json.Unmarshal(c.Config, &values); err != nil {
			return err
		}
		for _, key := range slices.Sorted(maps.Keys(values)) {
			number++
			if err := r.add("settings of bots", archive.BotDatum{ID: number, Bot: int64(c.UserID), Key: key, Value: values[key]}); err != nil {
				return err
			}
		}
		return nil
	})
}

func (r *realmExport) storage(ctx context.Context) error {
	return writeTable(ctx, r, archive.BotStorage, "texts that bots keep", func(tx *store.Tx, last sqlc.ArchivedBotStorageRow) ([]sqlc.ArchivedBotStorageRow, error) {
		return tx.ArchivedBotStorage(ctx, sqlc.ArchivedBotStorageParams{
			AfterUser: int64(last.UserID), AfterKey: last.Key, MaxRows: maxRows, MaxBytes: maxBytes,
		})
	}, func(number int64, s sqlc.ArchivedBotStorageRow) any {
		if !r.people[s.UserID] {
			return nil
		}
		return archive.BotDatum{ID: number, Bot: int64(s.UserID), Key: s.Key, Value: s.Value}
	})
}

// scheduled writes scheduled messages.
func (r *realmExport) scheduled(ctx context.Context) error {
	return writeTable(ctx, r, archive.Scheduled, "scheduled messages", func(tx *store.Tx, last sqlc.ArchivedScheduledRow) ([]sqlc.ArchivedScheduledRow, error) {
		return tx.ArchivedScheduled(ctx, last.ScheduledID, maxRows)
	}, func(_ int64, s sqlc.ArchivedScheduledRow) any {
		if !r.people[s.SenderID] {
			return nil
		}
		row := archive.ScheduledMessage{
			ID: s.ScheduledID, Realm: int64(r.of), Sender: int64(s.SenderID), Recipient: recipientFor(s.SenderID, s.StreamID, s.ConversationID, s.Members),
			Subject: s.Topic, Content: s.Content, Widget: s.Widget, Client: r.client(s.Client), At: archive.Time{Time: s.DeliverAt}, Kind: archive.SendLater,
		}
		if s.StreamID != nil {
			row.Stream = new(int64(*s.StreamID))
		}
		if s.Reminder {
			row.Kind = archive.Remind
		}
		return row
	})
}
