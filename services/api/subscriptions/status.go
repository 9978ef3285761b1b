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
)

type statusParams struct {
	// The person to ask about.
	UserID id.User `path:"user_id"`
	// ID of the stream.
	StreamID id.Stream `path:"stream_id"`
}

type statusReply struct {
	// IsSubscribed reports whether the person is subscribed to the stream.
	IsSubscribed bool `json:"is_subscribed"`
}

// Status returns whether a person is subscribed to a stream.
func Status(subscriptions *subscription.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route:  "GET /users/{user_id}/subscriptions/{stream_id}",
		Who:    permit.Anyone,
		Faults: endpoint.Faults{user.ErrNoSuchUser, subscription.ErrUserDeactivated, stream.ErrInvalidID},
	}, func(ctx context.Context, who actor.Actor, in statusParams) (statusReply, error) {
		subscribed, err := subscriptions.IsSubscribed(ctx, who, in.UserID, in.StreamID)
		return statusReply{subscribed}, err
	})
}
