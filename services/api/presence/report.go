package presence

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/presence"
)

type reportParams struct {
	// State of the user: active or idle.
	Status string `param:"status"`
	// Whether the answer omits the presence of others.
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
	// Presence of users in the last two weeks: by the address that others see, the report of each client, and the
	// newest report as "aggregated"; with slim_presence, by user ID, when they were last active and idle.
	Presences presence.Listing `json:"presences"`
	// Time of the server, in Unix seconds.
	ServerTimestamp float64 `json:"server_timestamp"`
}

func (p reportParams) form() presence.Form {
	switch {
	case p.PingOnly:
		return presence.NoListing
	case p.SlimPresence:
		return presence.SlimListing
	default:
		return presence.LegacyListing
	}
}

// Report reports the caller's presence, and returns the presence of others. Clients call it once a minute.
func Report(statuses *presence.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "POST /users/me/presence", Who: permit.Human,
		Faults: endpoint.Faults{presence.ErrStatus},
	}, func(ctx context.Context, who actor.Actor, in reportParams) (reportReply, error) {
		others, at, err := statuses.Report(ctx, who, in.Status, in.form())
		if err != nil || in.PingOnly {
			return reportReply{}, err
		}
		return reportReply{&listing{others, presence.Seconds(at)}}, nil
	})
}
