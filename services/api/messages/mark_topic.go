package messages

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/inbox"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/stream"
)

type markTopicParams struct {
	// Stream with the topic.
	StreamID id.Stream `param:"stream_id"`
	// Topic whose messages are marked as read, in any letter case. Empty: the whole stream.
	TopicName string `param:"topic_name"`
}

// MarkTopic marks the caller's messages in a topic as read.
func MarkTopic(marks *inbox.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route:  "POST /mark_topic_as_read",
		Who:    permit.Anyone,
		Faults: endpoint.Faults{stream.ErrInvalidID, inbox.ErrNoTopic},
	}, func(ctx context.Context, who actor.Actor, in markTopicParams) (endpoint.Nothing, error) {
		return endpoint.Nothing{}, marks.MarkTopic(ctx, who, in.StreamID, in.TopicName)
	})
}
