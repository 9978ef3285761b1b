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

type logoParams struct {
	// Whether it is the logo for dark backgrounds.
	Night bool `param:"night"`
}

func (p logoParams) kind() org.PictureKind {
	if p.Night {
		return org.NightLogo
	}
	return org.Logo
}

// SetLogo replaces a logo of the organization by an image, a PNG, JPEG, GIF or WebP file of at most 5 MiB. An image
// larger than 800 by 100 pixels is scaled down.
func SetLogo(brand *branding.Service) endpoint.Endpoint {
	return endpoint.Upload(endpoint.About{
		Route: "POST /realm/logo", Who: permit.Admin, Faults: endpoint.Faults{permit.ErrNotAdmin, pictures.ErrNoImage, pictures.ErrLarge, file.ErrNone},
	}, picture.OneImage("You must upload exactly one logo."), func(ctx context.Context, who actor.Actor, in logoParams, image *endpoint.File) (endpoint.Nothing, error) {
		if err := picture.Reserve(ctx); err != nil {
			return endpoint.Nothing{}, err
		}
		_, err := brand.SetBy(ctx, who, in.kind(), image)
		return endpoint.Nothing{}, err
	})
}
