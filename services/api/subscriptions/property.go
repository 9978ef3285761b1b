package subscriptions

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/subscription"
)

type propertyParams struct {
	// ID of a stream that the caller is subscribed to.
	StreamID id.Stream `path:"stream_id"`
	// Name of the property, as in POST /users/me/subscriptions/properties.
	Property string `param:"property"`
	// For color, # and three to six hexadecimal digits; for all other properties, true or false.
	Value string `param:"value"`
}

// SetProperty changes one property of one of the caller's subscriptions.
func SetProperty(subscriptions *subscription.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route:  "PATCH /users/me/subscriptions/{stream_id}",
		Who:    permit.Anyone,
		Faults: propertyFaults(),
	}, func(ctx context.Context, who actor.Actor, in propertyParams) (propertiesReply, error) {
		p := subscription.Property{Stream: in.StreamID, Name: in.Property, Value: in.Value}
		if truth := in.Value == "true"; !subscription.IsColor(in.Property) && (truth || in.Value == "false") {
			p.Value = truth
		}
		return setProperties(ctx, subscriptions, who, []subscription.Property{p})
	})
}
