package bots

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/botstorage"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/permit"
)

type storageKeysParams struct {
	// Keys, at most 1000. Default: all.
	Keys *[]string `param:"keys"`
}

type storageReply struct {
	// Texts by key.
	Storage map[string]string `json:"storage"`
}

// GetStorage returns texts from the caller's storage.
func GetStorage(storage *botstorage.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "GET /bot_storage", Who: permit.Anyone,
		Faults: endpoint.Faults{botstorage.ErrNoKey, botstorage.ErrManyAtOnce},
	}, func(ctx context.Context, who actor.Actor, in storageKeysParams) (storageReply, error) {
		found, err := storage.Get(ctx, who, in.Keys, endpoint.Reserve)
		return storageReply{found}, err
	})
}
