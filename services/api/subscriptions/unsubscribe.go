package subscriptions

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/stream"
	"chatserver.dev/pkg/subscription"
)

type unsubscribeParams struct {
	// Names of the streams, at most 100.
	Subscriptions []string `param:"subscriptions"`
	// Users to unsubscribe: user IDs, or email addresses as other users see them. Empty: the caller. Only
	// administrators can unsubscribe others. At most 1000 users, and at most 10000 as the number of streams times the
	// number of users.
	Principals people `param:"principals" default:"[]"`
}

type unsubscribeReply struct {
	// Removed has the name of the stream for each subscription that ended.
	Removed []string `json:"removed"`
	// NotRemoved has the name of the stream for each account that wasn't subscribed to it.
	NotRemoved []string `json:"not_removed"`
}

// Unsubscribe unsubscribes the caller, or other users, from streams. A private stream that loses its
// last subscriber is deactivated.
func Unsubscribe(subscriptions *subscription.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route:   "DELETE /users/me/subscriptions",
		Who:     permit.Anyone,
		MaxBody: endpoint.LargeBody,
		Faults:  unsubscribeFaults(),
	}, func(ctx context.Context, who actor.Actor, in unsubscribeParams) (unsubscribeReply, error) {
		removed, err := subscriptions.Unsubscribe(ctx, who, in.Subscriptions, principals(in.Principals))
		return unsubscribeReply{removed.Removed, removed.NotRemoved}, err
	})
}

func unsubscribeFaults() endpoint.Faults {
	return endpoint.Faults{
		stream.ErrInvalidName, stream.ErrLongName,
		subscription.ErrNotAdmin, subscription.ErrNoStreams, subscription.ErrCreate, subscription.ErrPrincipal,
		subscription.ErrManyStreams, subscription.ErrManyPeople, subscription.ErrManyMemberships,
	}
}
