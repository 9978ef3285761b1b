package presence

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/presence"
)

type reportParams struct {
	// What the user does: active or idle.
	Status string `param:"status"`
	// Whether the answer leaves out the presence of others.
	PingOnly bool `param:"ping_only" default:"false"`
	// Whether the user did something since the last report.
	NewUserInput bool `param:"new_user_input" default:"false"`
	// Whether the list comes in the compact form. Not stable, don't use it.
	SlimPresence bool `param:"slim_presence" default:"false"`
}

type reportReply struct {
	*listing
}

type listing struct {
	// Who was at their computer in the last two weeks: by the address that others see what each of their clients
	// reported, and what the newest did as "aggregated"; with slim_presence by user ID when they were seen active and idle.
	Presences presence.Listing `json:"presences"`
	// Time of the server, in Unix seconds.
	ServerTimestamp float64 `json:"server_timestamp"`
}

func (p reportParams) want() presence.Want {
	switch {
	case p.PingOnly:
		return presence.NoListing
	case p.SlimPresence:
		return presence.SlimListing
	default:
		return presence.LegacyListing
	}
}

// Report says that the caller is at their computer, and returns who else is. Clients call it once a minute.
func Report(statuses *presence.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "POST /users/me/presence", Who: permit.Human,
		Faults: endpoint.Faults{presence.ErrStatus},
	}, func(ctx context.Context, who actor.Actor, in reportParams) (reportReply, error) {
		others, at, err := statuses.Report(ctx, who, in.Status, in.want())
		if err != nil || in.PingOnly {
			return reportReply{}, err
		}
		return reportReply{&listing{others, presence.Seconds(at)}}, nil
	})
}
