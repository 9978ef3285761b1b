package signin

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/login"
	"chatserver.dev/pkg/permit"
)

type sessionsParams struct{}

type sessionsReply struct {
	// The sessions, the newest first; 100 at most.
	Sessions []login.Session `json:"sessions"`
}

// Sessions lists the browsers and programs that are signed in with the caller's password.
func Sessions(logins *login.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "GET /sessions", Who: permit.Human,
	}, func(ctx context.Context, who actor.Actor, _ sessionsParams) (sessionsReply, error) {
		sessions, err := logins.Sessions(ctx, who)
		return sessionsReply{sessions}, err
	})
}
