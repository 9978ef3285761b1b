package signin

import (
	"context"

	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/login"
	"chatserver.dev/pkg/org"
)

type fetchUncheckedParams struct {
	// The account's real address.
	Username string `param:"username"`
}

// FetchKeyUnchecked signs a program in as any user, without a password. It exists only in a local run.
func FetchKeyUnchecked(logins *login.Service) endpoint.Endpoint {
	return endpoint.Public(endpoint.About{
		Route: "POST /dev_fetch_api_key",
		Faults: endpoint.Faults{
			login.ErrAddress, org.ErrInvalidSubdomain, login.ErrNoDevelopment, login.ErrOrgDeactivated, login.ErrUserDisabled, login.ErrUnregistered,
		},
	}, func(ctx context.Context, from endpoint.Request, in fetchUncheckedParams) (fetchReply, error) {
		if !logins.Orgs.Config().IsOwn(from.Host) {
			return fetchReply{}, org.ErrInvalidSubdomain
		}
		issued, err := logins.IssueUnchecked(ctx, login.Attempt{Host: from.Host, Client: from.Client, Email: in.Username})
		return fetchReply{issued.Key, issued.Email}, err
	})
}
