package branding

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/branding"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/file"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/permit"
	pictures "chatserver.dev/pkg/picture"
	"chatserver.dev/services/api/picture"
)

type iconParams struct{}

type iconReply struct {
	// IconURL is the address of the new icon.
	IconURL string `json:"icon_url"`
}

// SetIcon replaces the organization's icon by the middle of an image, a PNG, JPEG, GIF or WebP file of at most 5 MiB.
func SetIcon(brand *branding.Service) endpoint.Endpoint {
	return endpoint.Upload(endpoint.About{
		Route: "POST /realm/icon", Who: permit.Admin, Faults: endpoint.Faults{permit.ErrNotAdmin, pictures.ErrNoImage, pictures.ErrLarge, file.ErrNone},
	}, picture.OneImage("You must upload exactly one icon."), func(ctx context.Context, who actor.Actor, _ iconParams, image *endpoint.File) (iconReply, error) {
		if err := picture.Reserve(ctx); err != nil {
			return iconReply{}, err
		}
		url, err := brand.SetBy(ctx, who, org.Icon, image)
		return iconReply{url}, err
	})
}
