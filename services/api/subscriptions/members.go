package subscriptions

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/stream"
	"chatserver.dev/pkg/subscription"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/compat"
)

type membersParams struct {
	// ID of the stream.
	StreamID id.Stream `path:"stream_id"`
}

type membersReply struct {
	// Subscribers are the active accounts subscribed to the stream, ascending: their ids, or their addresses for clients
	// of the reference server.
	Subscribers compat.Accounts `json:"subscribers"`
}

// Members returns the subscribers of a stream.
func Members(subscriptions *subscription.Service, users *user.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route:  "GET /streams/{stream_id}/members",
		Who:    permit.Anyone,
		Faults: endpoint.Faults{stream.ErrInvalidID},
	}, func(ctx context.Context, who actor.Actor, in membersParams) (membersReply, error) {
		members, err := subscriptions.Members(ctx, who, in.StreamID)
		reply := membersReply{compat.Accounts{IDs: members}}
		if err == nil && compat.Names(ctx) {
			reply.Subscribers.Addresses, err = users.Addresses(ctx, who, members)
		}
		return reply, err
	})
}
