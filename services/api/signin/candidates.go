package signin

import (
	"context"

	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/login"
	"chatserver.dev/pkg/org"
)

type candidatesParams struct{}

type candidatesReply struct {
	// Administrators and owners.
	Admins []login.Candidate `json:"direct_admins"`
	// All other people.
	Users []login.Candidate `json:"direct_users"`
}

// Candidates lists the people that POST /dev_fetch_api_key can sign in as. It exists only in a local run.
func Candidates(logins *login.Service) endpoint.Endpoint {
	return endpoint.Public(endpoint.About{
		Route: "GET /dev_list_users", Memory: 1 << 20,
		Faults: endpoint.Faults{org.ErrInvalidSubdomain, login.ErrNoDevelopment, login.ErrOrgDeactivated},
	}, func(ctx context.Context, from endpoint.Request, _ candidatesParams) (candidatesReply, error) {
		if !logins.Orgs.Config().IsOwn(from.Host) {
			return candidatesReply{}, org.ErrInvalidSubdomain
		}
		admins, others, err := logins.Candidates(ctx, from.Host)
		return candidatesReply{admins, others}, err
	})
}
