package subscriptions

import (
	"context"
	"slices"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/subscription"
)

type changeParams struct {
	// Streams to subscribe to. Those that don't exist are created. Not for guests. Together with those to unsubscribe
	// from, at most 100.
	Add []wanted `param:"add" default:"[]"`
	// Names of the streams to unsubscribe from.
	Delete []string `param:"delete" default:"[]"`
	howParams
}

type changeReply struct {
	subscribeReply
	unsubscribeReply
}

// Change subscribes the caller or other users to streams and unsubscribes them from others. It makes all changes or
// none.
func Change(subscriptions *subscription.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route:   "PATCH /users/me/subscriptions",
		Who:     permit.Anyone,
		MaxBody: endpoint.LargeBody,
		Faults: slices.Concat(
			endpoint.Faults{subscription.ErrNothingToDo, permit.ErrGuest}, subscribeFaults(), unsubscribeFaults(),
		),
	}, func(ctx context.Context, who actor.Actor, in changeParams) (changeReply, error) {
		answer, err := subscriptions.Change(ctx, who, in.request(in.Add), in.Delete)
		if err != nil {
			return changeReply{}, err
		}
		return changeReply{in.reply(answer), unsubscribeReply{answer.Removed, answer.NotRemoved}}, nil
	})
}
