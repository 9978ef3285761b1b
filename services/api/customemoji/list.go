package customemoji

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/permit"
)

type listParams struct{}

type listReply struct {
	// Emoji are the organization's own emoji, by their IDs. There are none so far.
	Emoji map[string]emoji `json:"emoji"`
}

type emoji struct {
	// ID of the emoji.
	ID string `json:"id"`
	// Name is what is typed between colons.
	Name string `json:"name"`
	// SourceURL is where its image is.
	SourceURL string `json:"source_url"`
	// Deactivated emoji are shown where they were used, and can't be used any more.
	Deactivated bool `json:"deactivated"`
	// AuthorID is who added it.
	AuthorID int64 `json:"author_id"`
}

// List returns the organization's own emoji, deactivated ones, too (rest-api.md, section 5.6).
func List() endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "GET /realm/emoji", Who: permit.Anyone,
	}, func(context.Context, actor.Actor, listParams) (listReply, error) {
		return listReply{Emoji: map[string]emoji{}}, nil
	})
}
