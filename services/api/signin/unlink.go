package signin

import (
	"context"

	"chatserver.dev/pkg/account"
	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/permit"
)

type unlinkParams struct {
	// Address of the identity provider, as in the list of identities.
	Issuer string `param:"issuer" max:"2000 characters"`
}

// Unlink removes the link between the caller's account and an identity at an identity provider. Sessions stay. Signing
// in with an identity whose address is the account's and was verified by the provider links it to the account again.
func Unlink(accounts *account.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "DELETE /identities", Who: permit.Human, Faults: endpoint.Faults{account.ErrNotLinked},
	}, func(ctx context.Context, who actor.Actor, in unlinkParams) (endpoint.Nothing, error) {
		return endpoint.Nothing{}, accounts.Unlink(ctx, who, in.Issuer)
	})
}
