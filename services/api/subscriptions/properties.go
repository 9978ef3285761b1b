package subscriptions

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/stream"
	"chatserver.dev/pkg/subscription"
)

type propertiesParams struct {
	// Changes, at most 1000. If one of them is invalid, none is made.
	Data []property `param:"subscription_data"`
}

type property struct {
	// ID of a stream that the caller is subscribed to.
	StreamID id.Stream `json:"stream_id"`
	// Name of the property: color, is_muted, in_home_view (the opposite of is_muted), pin_to_top,
	// desktop_notifications, audible_notifications, push_notifications, email_notifications or
	// wildcard_mentions_notify.
	Property string `json:"property"`
	// For color, # and three to six hexadecimal digits; for all other properties, true or false.
	Value endpoint.Either[bool, string] `json:"value"`
}

type propertiesReply struct {
	// Data has the changes of the request.
	Data []changed `json:"subscription_data"`
}

type changed struct {
	// StreamID is the ID of the stream.
	StreamID id.Stream `json:"stream_id"`
	// Property is the name of the property.
	Property string `json:"property"`
	// Value is the property's new value, a string or a boolean.
	Value any `json:"value"`
}

// SetProperties changes properties of the caller's subscriptions, such as their colors.
func SetProperties(subscriptions *subscription.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route:   "POST /users/me/subscriptions/properties",
		Who:     permit.Anyone,
		MaxBody: endpoint.LargeBody,
		Faults:  append(propertyFaults(), subscription.ErrNotString, subscription.ErrManyProperties),
	}, func(ctx context.Context, who actor.Actor, in propertiesParams) (propertiesReply, error) {
		properties := make([]subscription.Property, len(in.Data))
		for i, p := range in.Data {
			properties[i] = subscription.Property{Stream: p.StreamID, Name: p.Property}
			if p.Value.First != nil {
				properties[i].Value = *p.Value.First
			} else {
				properties[i].Value = *p.Value.Second
			}
		}
		return setProperties(ctx, subscriptions, who, properties)
	})
}

func propertyFaults() endpoint.Faults {
	return endpoint.Faults{
		subscription.ErrUnknownProperty, stream.ErrInvalidID, subscription.ErrNotSubscribed,
		subscription.ErrNotBoolean, subscription.ErrNotColor,
	}
}

func setProperties(
	ctx context.Context, subscriptions *subscription.Service, who actor.Actor, properties []subscription.Property,
) (propertiesReply, error) {
	data := lists.Map(properties, func(p subscription.Property) changed { return changed{p.Stream, p.Name, p.Value} })
	return propertiesReply{data}, subscriptions.SetProperties(ctx, who, properties)
}
