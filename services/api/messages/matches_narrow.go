package messages

import (
	"context"
	"errors"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/feed"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/narrow"
	"chatserver.dev/pkg/permit"
)

type matchesNarrowParams struct {
	// The messages to check, at most 5000.
	Messages []id.Message `param:"msg_ids"`
	// Terms that the messages must match, a JSON list.
	Narrow narrow.Narrow `param:"narrow"`
}

type matchesNarrowReply struct {
	// Messages are the matching ones, by ID.
	Messages map[string]feed.Match `json:"messages"`
}

// MatchesNarrow returns which of some messages match a narrow, for narrows that clients can't evaluate themselves.
// Messages that the caller didn't receive are left out.
func MatchesNarrow(messages *feed.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route:  "GET /messages/matches_narrow",
		Who:    permit.Anyone,
		Faults: endpoint.Faults{feed.ErrTooMany, feed.ErrTooSlow, feed.ErrMatches, narrow.ErrTerm, narrow.ErrTerms},
	}, func(ctx context.Context, who actor.Actor, in matchesNarrowParams) (matchesNarrowReply, error) {
		if err := endpoint.Reserve(ctx, feed.FirstMemory(len(in.Messages), in.Narrow)); err != nil {
			return matchesNarrowReply{}, err
		}
		matches, err := messages.Matches(ctx, who, in.Messages, in.Narrow, feed.SmallPage)
		if errors.Is(err, feed.ErrMatches) {
			if err := endpoint.Reserve(ctx, feed.PageMemory); err != nil {
				return matchesNarrowReply{}, err
			}
			matches, err = messages.Matches(ctx, who, in.Messages, in.Narrow, feed.PageBytes)
		}
		return matchesNarrowReply{matches}, err
	})
}
