package alertwords

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/alert"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/permit"
)

type removeParams struct {
	// Words to remove, in any letter case; at most 1000. Words that don't exist are ignored.
	AlertWords []string `param:"alert_words"`
}

// Remove removes some of the caller's alert words.
func Remove(alerts *alert.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "DELETE /users/me/alert_words", Who: permit.Anyone, ChangesCallers: true, MaxBody: endpoint.LargeBody,
		Faults: endpoint.Faults{alert.ErrMany},
	}, func(ctx context.Context, who actor.Actor, in removeParams) (reply, error) {
		words, err := alerts.Remove(ctx, who, in.AlertWords)
		return reply{words}, err
	})
}
