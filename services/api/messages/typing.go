package messages

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/permit"
)

type typingParams struct {
	// Whether the caller starts (start) or stops (stop) typing.
	Op string `param:"op"`
	// User IDs of the participants of the private conversation; the caller is always included.
	To []id.User `param:"to"`
}

// Typing notifies the participants of a private conversation that the caller starts or stops typing. Clients repeat the
// call about every ten seconds while the user types.
func Typing(messages *message.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "POST /typing", Who: permit.Anyone,
		Faults: endpoint.Faults{message.ErrTypingTo, message.ErrTypingOp, message.ErrInvalidUser, message.ErrManyRecipients},
	}, func(ctx context.Context, who actor.Actor, in typingParams) (endpoint.Nothing, error) {
		return endpoint.Nothing{}, messages.Typing(ctx, who, in.Op, in.To)
	})
}
