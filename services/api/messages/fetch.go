package messages

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/feed"
	"chatserver.dev/pkg/narrow"
	"chatserver.dev/pkg/permit"
)

type fetchParams struct {
	// Message around which to fetch: a message ID, or newest, oldest or first_unread.
	Anchor *string `param:"anchor"`
	// Number of messages before the anchor.
	Before endpoint.NNInt `param:"num_before"`
	// Number of messages after the anchor; both numbers together at most 5000.
	After endpoint.NNInt `param:"num_after"`
	// Filter for messages, a JSON list of terms; none: all messages that the caller received.
	Narrow narrow.Narrow `param:"narrow" default:"[]"`
	// Deprecated form of the anchor first_unread, which overrides anchor.
	FirstUnread bool `param:"use_first_unread_anchor" default:"false"`
	// Whether the client computes addresses of pictures at third parties itself; they are null then.
	HostedAvatar bool `param:"client_hosted_avatar" compat:"client_gravatar" default:"false"`
	// Whether content is returned as HTML, rather than as it was written.
	Markdown bool `param:"apply_markdown" default:"true"`
}

// anchor parses the anchor.
func (p fetchParams) anchor() (feed.Anchor, error) {
	if p.FirstUnread {
		return feed.FirstUnread, nil
	}
	return feed.ParseAnchor(p.Anchor)
}

// Fetch returns messages around an anchor: those that the caller received, or those that match a narrow.
func Fetch(messages *feed.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route:  "GET /messages",
		Who:    permit.Anyone,
		Faults: endpoint.Faults{feed.ErrNoAnchor, feed.ErrAnchor, feed.ErrTooMany, feed.ErrTooSlow, narrow.ErrTerm, narrow.ErrTerms},
	}, func(ctx context.Context, who actor.Actor, in fetchParams) (feed.Page, error) {
		anchor, err := in.anchor()
		if err != nil {
			return feed.Page{}, err
		}
		request := feed.Request{
			Anchor: anchor, Before: int(in.Before), After: int(in.After), Narrow: in.Narrow,
			Form: feed.Form{Markdown: in.Markdown, HostedAvatar: in.HostedAvatar}, Bytes: feed.SmallPage,
		}
		if err := endpoint.Reserve(ctx, feed.FirstMemory(request.Before+request.After, request.Narrow)); err != nil {
			return feed.Page{}, err
		}
		page, err := messages.Fetch(ctx, who, request)
		if err != nil || !page.Cut {
			return page, err
		}
		request.Anchor, request.Bytes = page.Anchor, feed.PageBytes // finding the first unread message may have taken long
		page = feed.Page{}
		if err := endpoint.Reserve(ctx, feed.PageMemory); err != nil {
			return page, err
		}
		return messages.Fetch(ctx, who, request)
	})
}
