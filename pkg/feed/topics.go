package feed

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/stream"
)

// Topic is a topic of a stream.
type Topic struct {
	// Name as it is spelled in the newest message.
	Name string `json:"name"`
	// MaxID is the newest message.
	MaxID id.Message `json:"max_id"`
}

// Topics returns the topics of a stream, the one with the newest message first: of all its messages
// where the caller may read its history, otherwise of those that they received. The fault is
// stream.ErrInvalidID.
func (s *Service) Topics(ctx context.Context, who actor.Actor, in id.Stream) ([]Topic, error) {
	topics := []Topic{}
	err := s.db.ReadReplica(ctx, who.Org(), func(tx *store.Tx) error {
		seen, err := stream.ByID(ctx, tx, who, in)
		if err != nil {
			return err
		}
		every := permit.ReadHistory(who.Role, seen.Visible(), seen.HistoryPublic)
		rows, err := tx.TopicsOf(ctx, int64(in), every, int64(who.User))
		topics = lists.Map(rows, func(row sqlc.TopicsOfRow) Topic { return Topic{Name: row.Topic, MaxID: id.Message(row.MessageID)} })
		return err
	})
	return topics, err
}
