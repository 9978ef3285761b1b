package messages

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/inbox"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/permit"
)

type flagsParams struct {
	// IDs of the messages, at most 5000. Messages that the caller hasn't received are ignored, unless all of them are.
	Messages []id.Message `param:"messages"`
	// Whether the flag is set (add) or cleared (remove).
	Op string `param:"op" enum:"add,remove"`
	// The flag: read, starred or collapsed.
	Flag string `param:"flag"`
}

type flagsReply struct {
	// Messages are the IDs in the request.
	Messages []id.Message `json:"messages"`
}

// SetFlags sets or clears a flag of messages for the caller.
func SetFlags(marks *inbox.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route:   "POST /messages/flags",
		Who:     permit.Anyone,
		MaxBody: endpoint.LargeBody,
		Faults:  endpoint.Faults{inbox.ErrFlag, inbox.ErrFixedFlag, inbox.ErrManyMessages, message.ErrInvalid},
	}, func(ctx context.Context, who actor.Actor, in flagsParams) (flagsReply, error) {
		err := marks.SetFlags(ctx, who, inbox.FlagChange{Messages: in.Messages, Flag: in.Flag, Remove: in.Op == event.RemoveFlag})
		return flagsReply{Messages: in.Messages}, err
	})
}
