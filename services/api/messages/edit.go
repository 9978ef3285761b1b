package messages

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/revision"
	"chatserver.dev/pkg/stream"
)

type editParams struct {
	// ID of the message.
	MessageID id.Message `path:"message_id"`
	// New content, in Markdown; at most 10000 bytes. Only the sender may change it.
	Content *string `param:"content" nul:"passed"`
	// New topic, at most 60 characters.
	Topic *string `param:"topic" alias:"subject" nul:"passed"`
	// Which messages get the new topic or stream: the message alone (change_one), it and later ones of its topic
	// (change_later), or all of its topic (change_all).
	PropagateMode string `param:"propagate_mode" default:"change_one" enum:"change_one,change_later,change_all"`
	// Stream to move the message to. Only administrators can move messages, and only between public streams.
	StreamID *endpoint.NNInt `param:"stream_id"`
	// Whether a notice in the old topic says where messages were moved.
	TellOld bool `param:"send_notification_to_old_thread" default:"true"`
	// Whether a notice in the new topic says where messages were moved from.
	TellNew bool `param:"send_notification_to_new_thread" default:"true"`
}

// Edit changes the content of a message, or its topic, or moves it to another stream.
func Edit(revisions *revision.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route:   "PATCH /messages/{message_id}",
		Who:     permit.Anyone,
		MaxBody: endpoint.LargeBody,
		Faults: endpoint.Faults{
			revision.ErrEditingOff, revision.ErrModeAlone, message.ErrInvalid, permit.ErrEdit, permit.ErrEditLate, revision.ErrNothing,
			message.ErrEmptyTopic, message.ErrTopicNul, message.ErrTopicLong, revision.ErrPrivateTopic, message.ErrNul,
			message.ErrContentLong, message.ErrRendering, revision.ErrMove, revision.ErrMoveContent, stream.ErrInvalidID,
			revision.ErrMovePrivate,
		},
	}, func(ctx context.Context, who actor.Actor, in editParams) (endpoint.Nothing, error) {
		change := revision.Change{
			Content: in.Content, Topic: in.Topic, Mode: revision.Mode(in.PropagateMode), TellOld: in.TellOld, TellNew: in.TellNew,
		}
		if in.StreamID != nil {
			to := id.Stream(*in.StreamID)
			change.Stream = &to
		}
		return endpoint.Nothing{}, revisions.Edit(ctx, who, in.MessageID, change)
	})
}
