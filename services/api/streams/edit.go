package streams

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/stream"
)

type editParams struct {
	// ID of the stream, which the caller need not be subscribed to.
	StreamID id.Stream `path:"stream_id"`
	// New description, as Markdown.
	Description *endpoint.JSONString `param:"description" max:"1024 characters"`
	// New name.
	Name *endpoint.JSONString `param:"new_name" nul:"passed"`
	// Whether the stream is private. The caller needs access to the stream.
	Private *bool `param:"is_private"`
	// Whether new subscribers see earlier messages; only with is_private. Default: they do if the stream is public.
	HistoryPublic *bool `param:"history_public_to_subscribers"`
	// Who may send: 1 everyone, 2 administrators, 3 new members and administrators.
	PostPolicy *int16 `param:"stream_post_policy" enum:"1,2,3"`
	// Older form of stream_post_policy, which it overrides: true is 2, false is 1.
	AnnouncementOnly *bool `param:"is_announcement_only"`
	// Number of days after which messages are deleted, or realm_default (the organization's setting), or forever
	// (never). Only for owners.
	Retention *stream.Retention `param:"message_retention_days"`
}

// Edit changes properties of a stream, all of them or none.
func Edit(streams *stream.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "PATCH /streams/{stream_id}",
		Who:   permit.Admin,
		Faults: endpoint.Faults{
			stream.ErrInvalidID, permit.ErrNotOwner, fault.ErrBadValue, stream.ErrSameName, stream.ErrNameTaken,
			stream.ErrInvalidName, stream.ErrLongName, stream.ErrNullInName,
		},
	}, func(ctx context.Context, who actor.Actor, in editParams) (endpoint.Nothing, error) {
		return endpoint.Nothing{}, streams.Change(ctx, who, in.StreamID, in.change())
	})
}

func (in editParams) change() stream.Change {
	change := stream.Change{
		Name: (*string)(in.Name), Description: (*string)(in.Description), Private: in.Private, HistoryPublic: in.HistoryPublic,
		Retention: in.Retention,
	}
	if in.PostPolicy != nil {
		change.PostPolicy = new(permit.PostPolicy(*in.PostPolicy))
	}
	if in.AnnouncementOnly != nil {
		change.PostPolicy = new(permit.PostAnyone)
		if *in.AnnouncementOnly {
			change.PostPolicy = new(permit.PostAdmins)
		}
	}
	return change
}
