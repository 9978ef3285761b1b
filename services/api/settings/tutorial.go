package settings

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/user"
)

type tutorialParams struct {
	// State of the tutorial: started, or finished, which disables hints.
	Status endpoint.JSONString `param:"status" enum:"started,finished"`
}

// Tutorial starts or finishes the caller's tutorial, the hints for new users. It causes no event.
func Tutorial(users *user.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "POST /users/me/tutorial_status", Who: permit.Human, ChangesCallers: true,
	}, func(ctx context.Context, who actor.Actor, in tutorialParams) (endpoint.Nothing, error) {
		return endpoint.Nothing{}, users.FinishTutorial(ctx, who, in.Status == "finished")
	})
}
