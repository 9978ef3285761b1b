package topics

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/stream"
	"chatserver.dev/pkg/topic"
)

type muteParams struct {
	// Name of the topic's stream. Either this or stream_id is required; if both are sent, they must name the same
	// stream.
	Stream *string `param:"stream"`
	// ID of the topic's stream.
	StreamID *id.Stream `param:"stream_id"`
	// Name of the topic, which need not have messages.
	Topic string `param:"topic" max:"60 characters"`
	// Whether to mute (add) or to unmute (remove).
	Op string `param:"op" enum:"add,remove"`
}

// Mute mutes or unmutes a topic for the caller.
func Mute(topics *topic.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "PATCH /users/me/subscriptions/muted_topics",
		Who:   permit.Anyone,
		Faults: endpoint.Faults{
			topic.ErrNoStream, topic.ErrTwoStreams, stream.ErrInvalidID, stream.ErrInvalidName,
			topic.ErrAlreadyMuted, topic.ErrNotMuted, topic.ErrMany,
		},
	}, func(ctx context.Context, who actor.Actor, in muteParams) (endpoint.Nothing, error) {
		change := topics.Mute
		if in.Op == "remove" {
			change = topics.Unmute
		}
		return endpoint.Nothing{}, change(ctx, who, topic.Ref{ID: in.StreamID, Name: in.Stream}, in.Topic)
	})
}
