package linkifiers

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/linkifier"
	"chatserver.dev/pkg/permit"
)

type addParams struct {
	// Regular expression in Go's syntax: literal text and a named group, once or several times, as in #(?P<id>[0-9]+).
	// Look-around and back-references aren't supported.
	Pattern string `param:"pattern"`
	// Address that contains the groups of the pattern, as in https://tickets.example/%(id)s.
	URLFormatString string `param:"url_format_string"`
}

type addReply struct {
	// ID of the linkifier.
	ID int64 `json:"id"`
}

// Add adds a linkifier: texts that match its pattern become links, in messages and topics that are sent from now on.
func Add(linkifiers *linkifier.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "POST /realm/filters", Who: permit.Admin, ChangesCallers: true,
		Faults: endpoint.Faults{linkifier.ErrInvalid, linkifier.ErrMany},
	}, func(ctx context.Context, who actor.Actor, in addParams) (addReply, error) {
		number, err := linkifiers.Add(ctx, who, in.Pattern, in.URLFormatString)
		return addReply{number}, err
	})
}
