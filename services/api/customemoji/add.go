package customemoji

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/customemoji"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/file"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/services/api/picture"
)

type addParams struct {
	// Name of the emoji: lower-case letters, digits, dots, hyphens and underscores. The last character is a letter or a
	// digit.
	Name string `path:"emoji_name"`
}

// Add adds a custom emoji to the organization. Its image is a PNG, JPEG, GIF or WebP file of at most 5 MiB.
func Add(emoji *customemoji.Service) endpoint.Endpoint {
	return endpoint.Upload(endpoint.About{
		Route: "POST /realm/emoji/{emoji_name}", Who: permit.Member,
		Faults: endpoint.Faults{
			customemoji.ErrNoName, customemoji.ErrName, permit.ErrGuest, permit.ErrNotAdmin, customemoji.ErrTaken, customemoji.ErrMany, customemoji.ErrManyToday,
			customemoji.ErrImage, file.ErrNone,
		},
	}, picture.OneImage("You must upload exactly one file."), func(ctx context.Context, who actor.Actor, in addParams, image *endpoint.File) (endpoint.Nothing, error) {
		if err := picture.Reserve(ctx); err != nil {
			return endpoint.Nothing{}, err
		}
		return endpoint.Nothing{}, emoji.Add(ctx, who, in.Name, image)
	})
}
