package alertwords

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/alert"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/permit"
)

type listParams struct{}

// List returns the caller's alert words.
func List(alerts *alert.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "GET /users/me/alert_words", Who: permit.Anyone,
	}, func(ctx context.Context, who actor.Actor, _ listParams) (reply, error) {
		words, err := alerts.List(ctx, who)
		return reply{words}, err
	})
}
