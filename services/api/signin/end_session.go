package signin

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/login"
	"chatserver.dev/pkg/permit"
)

type endParams struct {
	// ID of the session.
	SessionID id.Login `path:"session_id"`
}

// EndSession signs one of the caller's browsers or programs out, which may be the calling one. Its key is refused
// within 3 seconds.
func EndSession(logins *login.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "DELETE /sessions/{session_id}", Who: permit.Human, ChangesCallers: true, Faults: endpoint.Faults{login.ErrNoSession},
	}, func(ctx context.Context, who actor.Actor, in endParams) (endpoint.Nothing, error) {
		err := logins.End(ctx, who, in.SessionID)
		if err == nil && in.SessionID == who.Login {
			endpoint.EndSession(ctx)
		}
		return endpoint.Nothing{}, err
	})
}
