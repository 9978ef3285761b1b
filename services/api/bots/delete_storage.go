package bots

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/botstorage"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/permit"
)

// DeleteStorage removes texts from the caller's storage.
func DeleteStorage(storage *botstorage.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "DELETE /bot_storage", Who: permit.Anyone,
		Faults: endpoint.Faults{botstorage.ErrNoKey, botstorage.ErrManyAtOnce},
	}, func(ctx context.Context, who actor.Actor, in storageKeysParams) (endpoint.Nothing, error) {
		return endpoint.Nothing{}, storage.Remove(ctx, who, in.Keys)
	})
}
