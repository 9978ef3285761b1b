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

const (
	// fewTopics is the maximum number of topics that are read without reserving memory.
	fewTopics = 1000
	// MaxTopics is the maximum number of topics that [Service.Topics] returns.
	MaxTopics = 50_000
)

// Topics returns the topics of a stream, the one with the newest message first: those of all messages
// if the caller may read the history, otherwise those of the messages that the caller has received. If there are more than
// MaxTopics topics, it returns those of the newest MaxTopics messages. It calls reserve before it reads more than [fewTopics]. It fails
// with stream.ErrInvalidID.
func (s *Service) Topics(ctx context.Context, who actor.Actor, in id.Stream, reserve func() error) ([]Topic, error) {
	topics, all, err := s.topics(ctx, who, in, fewTopics)
	if err != nil || all {
		return topics, err
	}
	if err := reserve(); err != nil {
		return nil, err
	}
	topics, _, err = s.topics(ctx, who, in, MaxTopics)
	return topics, err
}

// topics returns all topics of a stream and true. If there are more than limit, it returns false, and no topics, or, if limit is
// MaxTopics, those of the newest messages.
func (s *Service) topics(ctx context.Context, who actor.Actor, in id.Stream, limit int32) (topics []Topic, all bool, err error) {
	err = s.db.ReadReplica(ctx, who.Org(), func(tx *store.Tx) error {
		seen, err := stream.ByID(ctx, tx, who, in)
		if err != nil {
			return err
		}
		every := permit.ReadHistory(who.Role, seen.View(), seen.HistoryPublic)
		rows, err := tx.TopicsOf(ctx, sqlc.TopicsOfParams{StreamID: int64(in), Every: every, UserID: int64(who.User), MaxRows: limit + 1})
		if err != nil {
			return err
		}
		topics, all = []Topic{}, len(rows) <= int(limit)
		switch {
		case all:
			for _, row := range rows {
				if row.MessageID > 0 {
					topics = append(topics, Topic{Name: row.Topic, MaxID: id.Message(row.MessageID)})
				}
			}
		case limit == MaxTopics:
			rows, err := tx.NewestTopicsOf(ctx, sqlc.NewestTopicsOfParams{StreamID: int64(in), Every: every, UserID: int64(who.User), Messages: MaxTopics})
			topics = lists.Map(rows, func(row sqlc.NewestTopicsOfRow) Topic {
				return Topic{Name: row.Topic, MaxID: id.Message(row.MessageID)}
			})
			return err
		}
		return nil
	})
	return topics, all, err
}
