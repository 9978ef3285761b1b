package signin

import (
	"context"

	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/login"
	"chatserver.dev/pkg/org"
)

type fetchParams struct {
	// The account's real address.
	Username string `param:"username"`
	// The account's password.
	Password string `param:"password" nul:"passed"`
}

type fetchReply struct {
	// A key for the calling program only. The program should store it, since each call issues another key. An account
	// can have 100 keys: another one replaces the oldest.
	APIKey string `json:"api_key"`
	// The account's real address.
	Email string `json:"email"`
}

// FetchKey signs a program in with a password. After 5 wrong passwords for an account, or 100 from a network, within half an hour
// further ones are refused for a while.
func FetchKey(logins *login.Service) endpoint.Endpoint {
	return endpoint.Public(endpoint.About{
		Route: "POST /fetch_api_key",
		Faults: endpoint.Faults{
			login.ErrAddress, org.ErrInvalidSubdomain, login.ErrOrgDeactivated, login.ErrNoPasswords, login.ErrTries, login.ErrIncorrect,
			login.ErrUserDisabled,
		},
	}, func(ctx context.Context, from endpoint.Request, in fetchParams) (fetchReply, error) {
		issued, err := logins.Issue(ctx, login.Attempt{
			Host: from.Host, Network: from.Network, Client: from.Client, Email: in.Username, Password: in.Password,
		})
		return fetchReply{issued.Key, issued.Email}, err
	})
}
