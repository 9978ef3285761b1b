package bots

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/botstorage"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/permit"
)

type putStorageParams struct {
	// Texts by key, at most 1000; a key has at most 500 characters.
	Storage map[string]string `param:"storage"`
}

// PutStorage stores texts under keys, and replaces those with the same keys. Each account has its own storage, with at
// most 10,000,000 characters and 10,000 keys.
func PutStorage(storage *botstorage.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "PUT /bot_storage", Who: permit.Anyone, MaxBody: endpoint.LargeBody,
		Faults: endpoint.Faults{botstorage.ErrManyAtOnce, botstorage.ErrLongKey, botstorage.ErrFull, botstorage.ErrEntries},
	}, func(ctx context.Context, who actor.Actor, in putStorageParams) (endpoint.Nothing, error) {
		return endpoint.Nothing{}, storage.Put(ctx, who, in.Storage)
	})
}
