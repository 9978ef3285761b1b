package streams

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/stream"
)

type listParams struct {
	// Whether to list all public streams. No effect for guests.
	IncludePublic bool `param:"include_public" default:"true"`
	// Whether to list the streams whose history may be read without an account.
	IncludeWebPublic bool `param:"include_web_public" default:"false"`
	// Whether to list the streams that the caller is subscribed to.
	IncludeSubscribed bool `param:"include_subscribed" default:"true"`
	// Whether to list all active streams, including private ones. Only for administrators and owners.
	IncludeAllActive bool `param:"include_all_active" default:"false"`
	// Whether to list the default streams of the organization, and to add is_default to each stream.
	IncludeDefault bool `param:"include_default" default:"false"`
	// For a bot, whether to list the streams that its owner is subscribed to.
	IncludeOwnerSubscribed bool `param:"include_owner_subscribed" default:"false"`
}

type listReply struct {
	// Streams are sorted by name.
	Streams []listed `json:"streams"`
}

type listed struct {
	event.Stream
	// IsDefault is true if new accounts are subscribed to the stream; only with include_default.
	IsDefault *bool `json:"is_default,omitempty"`
}

// List returns the streams that the caller has access to.
func List(streams *stream.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route:  "GET /streams",
		Who:    permit.Anyone,
		Memory: 4 << 20,
		Faults: endpoint.Faults{stream.ErrNotForAll},
	}, func(ctx context.Context, who actor.Actor, in listParams) (listReply, error) {
		found, err := streams.List(ctx, who, stream.Filter{
			Public: in.IncludePublic, WebPublic: in.IncludeWebPublic, Subscribed: in.IncludeSubscribed,
			OwnerSubscribed: in.IncludeOwnerSubscribed, Default: in.IncludeDefault, All: in.IncludeAllActive,
		})
		if err != nil {
			return listReply{}, err
		}
		reply := listReply{Streams: make([]listed, len(found))}
		for i, s := range found {
			reply.Streams[i].Stream = s.Stream
			if in.IncludeDefault {
				reply.Streams[i].IsDefault = &s.IsDefault
			}
		}
		return reply, nil
	})
}
