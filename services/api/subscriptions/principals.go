package subscriptions

import (
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/subscription"
)

// people are user IDs, or addresses as other users see them.
type people = endpoint.Either[[]id.User, []string]

func principals(in people) subscription.Principals {
	switch {
	case in.First != nil:
		return subscription.Principals{IDs: *in.First}
	case in.Second != nil:
		return subscription.Principals{Emails: *in.Second}
	default:
		return subscription.Principals{}
	}
}
