package signin

import (
	"context"

	"chatserver.dev/pkg/account"
	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/permit"
)

type unlinkParams struct {
	// Address of the identity provider, as the list of identities has it.
	Issuer string `param:"issuer" max:"2000 characters"`
}

// Unlink ends that somebody at an identity provider signs in as the caller. Sessions last. Who signs in there with the account's address, which the
// provider has verified, is linked to the account again.
func Unlink(accounts *account.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "DELETE /identities", Who: permit.Human, Faults: endpoint.Faults{account.ErrNotLinked},
	}, func(ctx context.Context, who actor.Actor, in unlinkParams) (endpoint.Nothing, error) {
		return endpoint.Nothing{}, accounts.Unlink(ctx, who, in.Issuer)
	})
}
