package users

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/avatar"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/file"
	"chatserver.dev/pkg/permit"
	pictures "chatserver.dev/pkg/picture"
	"chatserver.dev/services/api/picture"
)

type avatarReply struct {
	// AvatarURL is the address of the account's new picture.
	AvatarURL string `json:"avatar_url"`
}

// SetAvatar replaces the caller's picture by the middle of an image, a PNG, JPEG, GIF or WebP file of at most 5 MiB.
func SetAvatar(avatars *avatar.Service) endpoint.Endpoint {
	return endpoint.Upload(endpoint.About{
		Route: "POST /users/me/avatar", Who: permit.Anyone, ChangesCallers: true,
		Faults: endpoint.Faults{avatar.ErrDisabled, pictures.ErrNoImage, pictures.ErrLarge, file.ErrNone},
	}, picture.OneImage("You must upload exactly one avatar."), func(ctx context.Context, who actor.Actor, _ meParams, image *endpoint.File) (avatarReply, error) {
		if err := image.Given(); err != nil {
			return avatarReply{}, err
		}
		if err := picture.Reserve(ctx); err != nil {
			return avatarReply{}, err
		}
		url, err := avatars.SetOwn(ctx, who, image)
		return avatarReply{url}, err
	})
}
