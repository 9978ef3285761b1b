package users

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/profile"
)

type clearAnswersParams struct {
	// IDs of custom profile fields, at most 100.
	Data []int64 `param:"data"`
}

// ClearAnswers removes the caller's answers to some custom profile fields.
func ClearAnswers(profiles *profile.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "DELETE /users/me/profile_data", Who: permit.Human, Faults: endpoint.Faults{profile.ErrMany, profile.ErrUnknown},
	}, func(ctx context.Context, who actor.Actor, in clearAnswersParams) (endpoint.Nothing, error) {
		return endpoint.Nothing{}, profiles.ClearOwn(ctx, who, in.Data)
	})
}
