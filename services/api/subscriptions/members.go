package subscriptions

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/stream"
	"chatserver.dev/pkg/subscription"
)

type membersParams struct {
	// ID of the stream.
	StreamID id.Stream `path:"stream_id"`
}

type membersReply struct {
	// Subscribers are the active accounts subscribed to the stream, ascending.
	Subscribers []id.User `json:"subscribers"`
}

// Members gives who is subscribed to a stream.
func Members(subscriptions *subscription.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route:  "GET /streams/{stream_id}/members",
		Who:    permit.Anyone,
		Rate:   endpoint.PerUser,
		Faults: endpoint.Faults{stream.ErrInvalidID},
	}, func(ctx context.Context, who actor.Actor, in membersParams) (membersReply, error) {
		members, err := subscriptions.Members(ctx, who, in.StreamID)
		return membersReply{members}, err
	})
}
