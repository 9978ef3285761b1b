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

type reactParams struct {
	// ID of the message.
	MessageID id.Message `path:"message_id"`
	// Name of the emoji, without colons.
	Name string `param:"emoji_name"`
	// Code of the emoji; if absent, it is looked up by the name.
	Code string `param:"emoji_code" default:""`
	// Kind of the emoji: unicode_emoji, realm_emoji or zulip_extra_emoji; if absent, it is looked up by the name.
	Kind string `param:"reaction_type" default:""`
}

// React adds a reaction of the caller to a message.
func React(reactions *reaction.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "POST /messages/{message_id}/reactions",
		Who:   permit.Anyone,
		Faults: endpoint.Faults{
			message.ErrInvalid, reaction.ErrNoEmoji, reaction.ErrExists, reaction.ErrCustom, reaction.ErrCustomName,
			reaction.ErrDeactivated, reaction.ErrCode, reaction.ErrName, reaction.ErrKind, reaction.ErrMany, reaction.ErrFull,
		},
	}, func(ctx context.Context, who actor.Actor, in reactParams) (endpoint.Nothing, error) {
		emoji := reaction.Emoji{Name: in.Name, Code: in.Code, Kind: in.Kind}
		return endpoint.Nothing{}, reactions.Add(ctx, who, in.MessageID, emoji)
	})
}
