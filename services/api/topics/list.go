package topics

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/feed"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/stream"
)

type listParams struct {
	// The stream.
	StreamID id.Stream `path:"stream_id"`
}

type listReply struct {
	// Topics are the topics of the stream, the one with the newest message first. If there are more than 50,000, they
	// are those of the stream's newest 50,000 messages.
	Topics []feed.Topic `json:"topics"`
}

// listMemory is the memory for building a list of many topics, in bytes.
const listMemory = 16 << 20

// List returns the topics of a stream that the caller may read.
func List(messages *feed.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route:  "GET /users/me/{stream_id}/topics",
		Who:    permit.Anyone,
		Faults: endpoint.Faults{stream.ErrInvalidID},
	}, func(ctx context.Context, who actor.Actor, in listParams) (listReply, error) {
		list, err := messages.Topics(ctx, who, in.StreamID, func() error { return endpoint.Reserve(ctx, listMemory) })
		return listReply{list}, err
	})
}
