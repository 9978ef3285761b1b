package alertwords

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/alert"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/permit"
)

type addParams struct {
	// Words to add, of at most 100 characters each; an account has at most 1000. Words that exist already, in any
	// letter case, are ignored.
	AlertWords []string `param:"alert_words"`
}

// Add adds words to the caller's alert words.
func Add(alerts *alert.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "POST /users/me/alert_words", Who: permit.Anyone, ChangesCallers: true, MaxBody: endpoint.LargeBody,
		Faults: endpoint.Faults{alert.ErrLong, alert.ErrMany},
	}, func(ctx context.Context, who actor.Actor, in addParams) (reply, error) {
		words, err := alerts.Add(ctx, who, in.AlertWords)
		return reply{words}, err
	})
}
