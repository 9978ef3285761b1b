package customemoji

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/customemoji"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/permit"
)

type listParams struct{}

type listReply struct {
	// Emoji are the organization's own emoji, by their IDs.
	Emoji map[string]event.CustomEmoji `json:"emoji"`
}

// List returns the organization's own emoji, deactivated ones, too (rest-api.md, section 5.6).
func List(emoji *customemoji.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "GET /realm/emoji", Who: permit.Anyone,
	}, func(ctx context.Context, who actor.Actor, _ listParams) (listReply, error) {
		all, err := emoji.List(ctx, who)
		return listReply{all}, err
	})
}
