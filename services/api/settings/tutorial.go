package settings

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/user"
)

type tutorialParams struct {
	// How far the tutorial is: finished, after which there are no hints, or started.
	Status endpoint.JSONString `param:"status" enum:"started,finished"`
}

// Tutorial begins or ends the hints for newcomers that the caller hasn't read. There is no event of it.
func Tutorial(users *user.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "POST /users/me/tutorial_status", Who: permit.Human,
	}, func(ctx context.Context, who actor.Actor, in tutorialParams) (endpoint.Nothing, error) {
		return endpoint.Nothing{}, users.FinishTutorial(ctx, who, in.Status == "finished")
	})
}
