package signin

import (
	"context"

	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/login"
	"chatserver.dev/pkg/org"
)

type startReply struct {
	// The account's real address.
	Email string `json:"email"`
}

// StartSession signs a browser in with a password, for 30 days. Its key is in a cookie that scripts can't read, and
// that is accepted only for requests of the organization's own pages. The limits are those of POST /fetch_api_key.
func StartSession(logins *login.Service) endpoint.Endpoint {
	return endpoint.Public(endpoint.About{
		Route: "POST /sessions",
		Faults: endpoint.Faults{
			endpoint.ErrForeignPage, login.ErrAddress, org.ErrInvalidSubdomain, login.ErrOrgDeactivated, login.ErrNoPasswords, login.ErrTries, login.ErrIncorrect,
			login.ErrUserDisabled,
		},
	}, func(ctx context.Context, from endpoint.Request, in fetchParams) (startReply, error) {
		if err := from.CheckPage(); err != nil {
			return startReply{}, err
		}
		issued, err := logins.Issue(ctx, login.Attempt{
			Host: from.Host, Network: from.Network, Client: from.Client, Email: in.Username, Password: in.Password, Browser: true,
		})
		if err != nil {
			return startReply{}, err
		}
		from.StartSession(issued.Key, issued.Ends)
		return startReply{issued.Email}, nil
	})
}
