package streams

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/revision"
	"chatserver.dev/pkg/stream"
)

type deleteTopicParams struct {
	// ID of the stream.
	StreamID id.Stream `path:"stream_id"`
	// Name of the topic, in any letter case.
	Topic string `param:"topic_name"`
}

// DeleteTopic deletes all messages of a topic forever.
func DeleteTopic(revisions *revision.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route:  "POST /streams/{stream_id}/delete_topic",
		Who:    permit.Admin,
		Faults: endpoint.Faults{stream.ErrInvalidID},
	}, func(ctx context.Context, who actor.Actor, in deleteTopicParams) (endpoint.Nothing, error) {
		return endpoint.Nothing{}, revisions.DeleteTopic(ctx, who, in.StreamID, in.Topic)
	})
}
