package messages

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/reaction"
)

type unreactParams struct {
	// ID of the message.
	MessageID id.Message `path:"message_id"`
	// Name of the emoji, without colons.
	Name string `param:"emoji_name" default:""`
	// Code of the emoji; if absent, it is looked up by the name.
	Code string `param:"emoji_code" default:""`
	// Kind of the emoji: unicode_emoji, realm_emoji or zulip_extra_emoji.
	Kind string `param:"reaction_type" default:"unicode_emoji"`
}

// Unreact removes a reaction of the caller from a message.
func Unreact(reactions *reaction.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route:  "DELETE /messages/{message_id}/reactions",
		Who:    permit.Anyone,
		Faults: endpoint.Faults{message.ErrInvalid, reaction.ErrNoName, reaction.ErrNoEmoji, reaction.ErrMissing},
	}, func(ctx context.Context, who actor.Actor, in unreactParams) (endpoint.Nothing, error) {
		emoji := reaction.Emoji{Name: in.Name, Code: in.Code, Kind: in.Kind}
		return endpoint.Nothing{}, reactions.Remove(ctx, who, in.MessageID, emoji)
	})
}
