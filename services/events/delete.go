package events

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/permit"
)

// ErrForeignDelete means that the queue belongs to another account.
var ErrForeignDelete = fault.Plain("You are not authorized to access this queue")

type deleteParams struct {
	// Queue to delete.
	QueueID string `param:"queue_id"`
}

// Delete deletes an event queue. A poll that waits on it is answered.
func Delete(s *Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route:          "DELETE /events",
		Who:            permit.Anyone,
		CountedLocally: true,
		Faults:         endpoint.Faults{ErrBadQueue, ErrForeignDelete},
	}, func(ctx context.Context, who actor.Actor, in deleteParams) (endpoint.Nothing, error) {
		q, err := s.room.Find(ctx, in.QueueID)
		if err != nil {
			return endpoint.Nothing{}, err
		}
		if q == nil || q.Org != who.Org() {
			return endpoint.Nothing{}, badQueue(in.QueueID)
		}
		if q.User != who.User {
			return endpoint.Nothing{}, ErrForeignDelete
		}
		there, err := s.Redis.Unregister(ctx, q.Shard, q.ID)
		if err == nil && !there {
			err = badQueue(in.QueueID)
		}
		return endpoint.Nothing{}, err
	})
}
