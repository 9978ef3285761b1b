package subscriptions

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/stream"
	"chatserver.dev/pkg/subscription"
)

type subscribeParams struct {
	// Streams to subscribe to, at most 100. Those that don't exist are created.
	Subscriptions []wanted `param:"subscriptions"`
	howParams
}

// howParams are the accounts to subscribe, and the properties of new streams.
type howParams struct {
	// Users to subscribe: user IDs, or email addresses as other users see them. Empty: the caller. At most 1000 users,
	// and at most 10000 as the number of streams times the number of users.
	Principals people `param:"principals" default:"[]"`
	// Whether a stream that the caller may not join is an error; otherwise it is listed in unauthorized.
	Fatal bool `param:"authorization_errors_fatal" default:"true"`
	// Whether the notification bot announces new streams, private ones too, by their names in the organization's stream for
	// announcements.
	Announce bool `param:"announce" default:"false"`
	// Whether new streams are private.
	InviteOnly bool `param:"invite_only" default:"false"`
	// Whether new subscribers of new streams see earlier messages. Always true for public streams; the default for
	// private ones is false.
	HistoryPublic *bool `param:"history_public_to_subscribers"`
	// Who may send to new streams: 1 everyone, 2 administrators, 3 new members and administrators.
	PostPolicy int16 `param:"stream_post_policy" default:"1" enum:"1,2,3"`
	// Number of days after which messages of new streams are deleted, or realm_default (the organization's setting), or
	// forever (never). Only for owners.
	Retention stream.Retention `param:"message_retention_days" default:"\"realm_default\""`
}

type wanted struct {
	// Name of the stream.
	Name string `json:"name" nul:"passed"`
	// Description for a new stream.
	Description *string `json:"description" max:"1024 characters"`
	// Color for a new subscription.
	Color *string `json:"color" check:"color"`
}

type subscribeReply struct {
	// Subscribed has the names of the streams that each account was subscribed to, by its email address.
	Subscribed map[string][]string `json:"subscribed"`
	// AlreadySubscribed has the names of the streams that each account was subscribed to before, by its email address.
	AlreadySubscribed map[string][]string `json:"already_subscribed"`
	// Unauthorized has the streams that the caller may not join; only with authorization_errors_fatal
	// false.
	Unauthorized []string `json:"unauthorized,omitzero"`
}

// Subscribe subscribes the caller or other users to streams, and creates those that don't exist.
func Subscribe(subscriptions *subscription.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route:   "POST /users/me/subscriptions",
		Who:     permit.NonGuest,
		MaxBody: endpoint.LargeBody,
		Faults:  subscribeFaults(),
	}, func(ctx context.Context, who actor.Actor, in subscribeParams) (subscribeReply, error) {
		answer, err := subscriptions.Subscribe(ctx, who, in.request(in.Subscriptions))
		if err != nil {
			return subscribeReply{}, err
		}
		return in.reply(answer), nil
	})
}

func subscribeFaults() endpoint.Faults {
	return endpoint.Faults{
		fault.ErrBadValue, stream.ErrInvalidName, stream.ErrLongName, stream.ErrNullInName,
		subscription.ErrCreate, subscription.ErrCreateSettings, subscription.ErrFull, subscription.ErrManyInDay, subscription.ErrManyForDay, subscription.ErrNoAccess,
		subscription.ErrOthersAdmins, subscription.ErrOthersTooNew, subscription.ErrPrincipal,
		subscription.ErrManyStreams, subscription.ErrManyPeople, subscription.ErrManyMemberships,
	}
}

func (in howParams) reply(answer subscription.Answer) subscribeReply {
	reply := subscribeReply{Subscribed: answer.Subscribed, AlreadySubscribed: answer.Already}
	if !in.Fatal {
		reply.Unauthorized = answer.Unauthorized
	}
	return reply
}

func (in howParams) request(streams []wanted) subscription.Request {
	request := subscription.Request{
		Principals: principals(in.Principals), LeaveOut: !in.Fatal, Announce: in.Announce,
		New: stream.Settings{
			InviteOnly: in.InviteOnly, HistoryPublic: in.HistoryPublic != nil && *in.HistoryPublic,
			PostPolicy: permit.PostPolicy(in.PostPolicy), RetentionDays: in.Retention.Days,
		},
	}
	for _, w := range streams {
		stream := subscription.Wanted{Name: w.Name}
		if w.Description != nil {
			stream.Description = *w.Description
		}
		if w.Color != nil {
			stream.Color = *w.Color
		}
		request.Streams = append(request.Streams, stream)
	}
	return request
}
